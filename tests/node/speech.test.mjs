// The Node client in front of real models of speech.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as seven from 'openai-7';
import { all, base, key } from './gateway.mjs';

const client = new seven.OpenAI({ baseURL: `${base}/v1`, apiKey: key });
const input = 'The quick brown fox jumps over the lazy dog.';

async function spoken(response_format) {
  const answer = await client.audio.speech.create({ model: 'voice', voice: 'heart', input, response_format });
  return Buffer.from(await answer.arrayBuffer());
}

test('speech and its transcript', async () => {
  const sound = await spoken('mp3');
  const file = await seven.toFile(sound, 'fox.mp3');
  const answer = await client.audio.transcriptions.create({ model: 'ears', file });
  assert.match(answer.text, /quick brown fox/i);
});

test('subtitles come as text', async () => {
  const file = await seven.toFile(await spoken('wav'), 'fox.wav');
  const answer = await client.audio.transcriptions.create({ model: 'timed', file, response_format: 'srt' });
  assert.match(answer, /^1\n00:00:00,\d{3} --> /);
});

test('words with times', async () => {
  const file = await seven.toFile(await spoken('opus'), 'fox.opus');
  const answer = await client.audio.transcriptions.create({
    model: 'ears',
    file,
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  });
  assert.ok(answer.words.length >= 8);
});

test('a transcript streams', async () => {
  const file = await seven.toFile(await spoken('flac'), 'fox.flac');
  const events = await all(await client.audio.transcriptions.create({ model: 'ears', file, stream: true }));
  assert.equal(events.at(-1).type, 'transcript.text.done');
});

test('a translation', async () => {
  const file = await seven.toFile(await spoken('aac'), 'fox.aac');
  const answer = await client.audio.translations.create({ model: 'ears', file });
  assert.match(answer.text, /lazy dog/i);
});
