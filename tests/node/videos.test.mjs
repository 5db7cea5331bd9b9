// Videos with the official OpenAI client for Node. tests/end_to_end/test_videos.py starts the gateway
// and a vendor that finishes each video soon after it was asked for.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as six from 'openai-6';
import * as seven from 'openai-7';
import { all, base, key } from './gateway.mjs';

const picture = new Uint8Array([137, 80, 78, 71]);

for (const [major, sdk] of Object.entries({ 6: six, 7: seven })) {
  const client = new sdk.OpenAI({ baseURL: `${base}/v1`, apiKey: key, maxRetries: 0 });

  describe(`videos, openai ${major}`, () => {
    test('a video is created, read, fetched and deleted', async () => {
      const made = await client.videos.create({ prompt: 'a cat', seconds: '8', size: '1280x720' });
      assert.match(made.id, /^video_/);
      assert.deepEqual([made.status, made.seconds, made.size, made.progress], ['queued', '8', '1280x720', 0]);
      const video = await until(client, made.id);
      assert.equal(video.progress, 100);
      const answer = await client.videos.downloadContent(made.id);
      assert.equal(answer.headers.get('content-type'), 'video/mp4');
      assert.equal((await answer.arrayBuffer()).byteLength, 100_000);
      const thumbnail = await client.videos.downloadContent(made.id, { variant: 'thumbnail' });
      assert.equal(thumbnail.status, 200);
      const gone = await client.videos.delete(made.id);
      assert.deepEqual(gone, { id: made.id, object: 'video.deleted', deleted: true });
      await assert.rejects(client.videos.retrieve(made.id), (error) => error.status === 404);
    });

    test('a reference travels as a file and as an address', async () => {
      const file = await sdk.toFile(picture, 'cat.png', { type: 'image/png' });
      for (const input_reference of [file, { image_url: 'https://example.com/cat.png' }]) {
        const made = await client.videos.create({ prompt: 'a cat', input_reference });
        assert.equal(made.object, 'video');
      }
    });

    test('a video is remixed once it is made', async () => {
      const made = await client.videos.create({ prompt: 'a cat' });
      await until(client, made.id);
      const other = await client.videos.remix(made.id, { prompt: 'a dog' });
      assert.deepEqual([other.remixed_from_video_id, other.prompt], [made.id, 'a dog']);
    });

    test('videos are listed over several pages', async () => {
      const ids = (await all(client.videos.list({ limit: 2 }))).map((video) => video.id);
      assert.ok(ids.length >= 4);
      assert.equal(new Set(ids).size, ids.length);
      const upwards = (await all(client.videos.list({ limit: 3, order: 'asc' }))).map((video) => video.id);
      assert.deepEqual(upwards, ids.reverse());
    });

    test('a wrong length is refused by name', async () => {
      await assert.rejects(
        client.videos.create({ prompt: 'a cat', seconds: '5' }),
        (error) => error instanceof sdk.BadRequestError && error.param === 'seconds',
      );
    });
  });
}

async function until(client, id) {
  for (;;) {
    const video = await client.videos.retrieve(id);
    if (video.status === 'completed') return video;
    await new Promise((wake) => setTimeout(wake, 200));
  }
}
