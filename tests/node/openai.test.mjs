// The official OpenAI client for Node, current and previous major.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as six from 'openai-6';
import * as seven from 'openai-7';
import { all, base, counting, freed, key, open, vector } from './gateway.mjs';

const messages = [{ role: 'user', content: 'Say hello.' }];
const tools = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];

for (const [major, sdk] of Object.entries({ 6: six, 7: seven })) {
  const made = (options = {}) => new sdk.OpenAI({ baseURL: `${base}/v1`, apiKey: key, ...options });

  describe(`openai ${major}`, () => {
    const client = made();

    test('a chat', async () => {
      const answer = await client.chat.completions.create({ model: 'gpt-text', messages });
      assert.equal(answer.choices[0].message.content, 'Hi');
      assert.equal(answer.usage.total_tokens, 27);
      assert.match(answer._request_id, /^req_/);
    });

    for (const asked of [true, false]) {
      test(`a chat streamed, usage ${asked ? '' : 'not '}asked for`, async () => {
        const options = asked ? { stream_options: { include_usage: true } } : {};
        const chunks = await all(
          await client.chat.completions.create({ model: 'gpt-text', messages, stream: true, ...options }),
        );
        const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
        assert.equal(text, 'Hi there');
        assert.equal(chunks.at(-1).usage?.total_tokens, asked ? 27 : undefined);
        assert.equal(chunks.every((chunk) => chunk.choices.length === 1), !asked);
      });
    }

    test('a chat through the stream helper', async () => {
      const final = await client.chat.completions.stream({ model: 'gpt-text', messages }).finalChatCompletion();
      assert.equal(final.choices[0].message.content, 'Hi there');
    });

    test('tool calls through the stream helper', async () => {
      const stream = client.chat.completions.stream({ model: 'gpt-tools', messages, tools });
      const [call] = (await stream.finalChatCompletion()).choices[0].message.tool_calls;
      assert.equal(call.id, 'call_1');
      assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Köln "usage":{ data: [DONE]' });
    });

    test('a response', async () => {
      const answer = await client.responses.create({ model: 'gpt-text', input: 'Say hello.' });
      assert.equal(answer.status, 'completed');
      assert.ok(answer.output_text);
    });

    test('a response streamed', async () => {
      const events = await all(await client.responses.create({ model: 'gpt-text', input: 'x', stream: true }));
      assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
      assert.equal(events.at(-1).type, 'response.completed');
    });

    test('responses through the stream helper', async () => {
      for (const model of ['gpt-text', 'gpt-tools']) {
        const final = await client.responses.stream({ model, input: 'x' }).finalResponse();
        assert.equal(final.status, 'completed');
        assert.ok(final.output.length);
      }
    });

    test('completions', async () => {
      const answer = await client.completions.create({ model: 'gpt-text', prompt: 'Once' });
      assert.equal(answer.choices[0].text, 'Once upon');
      const chunks = await all(await client.completions.create({ model: 'gpt-text', prompt: 'Once', stream: true }));
      assert.ok(chunks.every((chunk) => chunk.choices.length === 1));
    });

    test('embeddings', async () => {
      for (const encoding_format of [undefined, 'float']) {
        const answer = await client.embeddings.create({ model: 'gpt-text', input: ['a', 'b'], encoding_format });
        assert.deepEqual(answer.data.map((one) => one.embedding), [vector, vector]);
      }
    });

    test('a moderation', async () => {
      assert.equal((await client.moderations.create({ model: 'gpt-text', input: 'x' })).results[0].flagged, false);
    });

    test('pictures', async () => {
      const answer = await client.images.generate({ model: 'gpt-text', prompt: 'A cat.', size: '1024x1024' });
      assert.equal(Buffer.from(answer.data[0].b64_json, 'base64').subarray(1, 4).toString(), 'PNG');
      assert.equal(answer.usage.total_tokens, 210);
    });

    test('pictures streamed', async () => {
      const events = await all(
        await client.images.generate({ model: 'gpt-text', prompt: 'A cat.', stream: true, partial_images: 1 }),
      );
      assert.deepEqual(
        events.map((event) => event.type),
        ['image_generation.partial_image', 'image_generation.completed'],
      );
      assert.equal(events[1].usage.output_tokens, 200);
    });

    test('pictures edited and varied', async () => {
      const { b64_json } = (await client.images.generate({ model: 'gpt-text', prompt: 'A cat.' })).data[0];
      const file = async (name) => sdk.toFile(Buffer.from(b64_json, 'base64'), name, { type: 'image/png' });
      const image = [await file('a.png'), await file('b.png')];
      const edited = await client.images.edit({ model: 'gpt-text', prompt: 'A hat.', image, mask: await file('m.png') });
      assert.equal(edited.data[0].b64_json, b64_json);
      const varied = await client.images.createVariation({ model: 'gpt-text', image: image[0] });
      assert.equal(varied.data[0].b64_json, b64_json);
    });

    test('models', async () => {
      const names = (await all(client.models.list())).map((model) => model.id);
      assert.ok(names.includes('gpt-text'));
      assert.ok(names.includes('acme/gpt-mini:free'));
      assert.equal((await client.models.retrieve('acme/gpt-mini:free')).id, 'acme/gpt-mini:free');
    });

    test('refusals', async () => {
      const cases = [
        ['gpt-nowhere', sdk.NotFoundError, 'model_not_found', 'model', 1],
        ['gpt-refused', sdk.BadRequestError, 'invalid_value', 'temperature', 1],
        ['gpt-busy', sdk.RateLimitError, 'rate_limit_exceeded', null, 3],
        ['gpt-busy-long', sdk.RateLimitError, 'rate_limit_exceeded', null, 1],
        ['gpt-denied', sdk.InternalServerError, 'upstream_error', null, 1],
      ];
      for (const [model, kind, code, param, calls] of cases) {
        const fetch = counting();
        const error = await made({ fetch })
          .chat.completions.create({ model, messages })
          .catch((caught) => caught);
        assert.ok(error instanceof kind, `${model}: ${error}`);
        assert.deepEqual([error.code, error.param], [code, param]);
        assert.match(error.requestID, /^req_/);
        assert.equal(fetch.calls, calls, model);
      }
    });

    test('a key that is none', async () => {
      const client = made({ apiKey: 'sk-gateway-wrong' });
      await assert.rejects(client.models.list(), sdk.AuthenticationError);
    });

    test('an answer that breaks', async () => {
      for (const model of ['gpt-error', 'gpt-cut']) {
        const stream = await client.chat.completions.create({ model, messages, stream: true });
        await assert.rejects(all(stream), (error) => error instanceof sdk.APIError && /upstream/.test(error.message));
      }
      for (const model of ['gpt-error', 'gpt-error-flat', 'gpt-failed', 'gpt-cut']) {
        const stream = await client.responses.create({ model, input: 'x', stream: true });
        await assert.rejects(all(stream), (error) => error instanceof sdk.APIError && /upstream/.test(error.message));
      }
    });

    test('a departure frees the vendor', async () => {
      const stream = await client.chat.completions.create({ model: 'gpt-endless', messages, stream: true });
      let seen = 0;
      for await (const _ of stream) if (++seen === 5) break;
      await freed('chat');
      const other = await client.responses.create({ model: 'gpt-endless', input: 'x', stream: true });
      assert.equal(await open('responses'), 1);
      other.controller.abort();
      await freed('responses');
    });
  });
}
