// The official Anthropic client for Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as sdk from '@anthropic-ai/sdk';
import { all, base, counting, freed, greeting, key, open } from './gateway.mjs';

const made = (options = {}) => new sdk.Anthropic({ baseURL: base, apiKey: key, ...options });
const client = made();
const asked = { model: 'claude-text', max_tokens: 64, messages: [{ role: 'user', content: 'Say hello.' }] };

test('a message', async () => {
  const answer = await client.messages.create(asked);
  assert.equal(answer.content[0].text, greeting);
  assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [25, 12]);
  assert.match(answer._request_id, /^req_/);
});

test('a message streamed', async () => {
  const events = await all(await client.messages.create({ ...asked, stream: true }));
  assert.equal(events[0].type, 'message_start');
  assert.equal(events.at(-1).type, 'message_stop');
});

test('a message through the stream helper', async () => {
  const final = await client.messages.stream(asked).finalMessage();
  assert.equal(final.content[0].text, greeting);
  assert.equal(final.usage.output_tokens, 12);
});

test('thinking and tools through the stream helper', async () => {
  const thought = await client.messages.stream({ ...asked, model: 'claude-thinking' }).finalMessage();
  assert.ok(thought.content[0].signature);
  const called = await client.messages.stream({ ...asked, model: 'claude-tool' }).finalMessage();
  assert.deepEqual(called.content.map((block) => block.input), [{ q: 'x"y' }, { q: 'z' }]);
});

test('tokens are counted', async () => {
  const { messages, model } = asked;
  assert.equal((await client.messages.countTokens({ model, messages })).input_tokens, 14);
  assert.equal((await client.beta.messages.countTokens({ model, messages })).input_tokens, 14);
});

test('models, page by page', async () => {
  const names = (await all(client.models.list({ limit: 30 }))).map((model) => model.id);
  assert.ok(names.length > 60);
  assert.equal(new Set(names).size, names.length);
  assert.equal((await client.models.retrieve('acme/claude-mini:free')).id, 'acme/claude-mini:free');
});

test('refusals', async () => {
  const cases = [
    ['claude-nowhere', sdk.NotFoundError, 'not_found_error', 1],
    ['claude-refused', sdk.BadRequestError, 'invalid_request_error', 1],
    ['claude-busy', sdk.RateLimitError, 'rate_limit_error', 3],
    ['claude-denied', sdk.InternalServerError, 'api_error', 1],
  ];
  for (const [model, kind, type, calls] of cases) {
    const fetch = counting();
    const error = await made({ fetch })
      .messages.create({ ...asked, model })
      .catch((caught) => caught);
    assert.ok(error instanceof kind, `${model}: ${error}`);
    assert.equal(error.type, type);
    assert.match(error.requestID, /^req_/);
    assert.equal(fetch.calls, calls, model);
  }
  await assert.rejects(made({ apiKey: 'sk-gateway-wrong' }).messages.create(asked), sdk.AuthenticationError);
});

test('an answer that breaks', async () => {
  for (const model of ['claude-error-after', 'claude-cut']) {
    const stream = await client.messages.create({ ...asked, model, stream: true });
    await assert.rejects(all(stream), (error) => error instanceof sdk.APIError && /upstream/.test(error.message));
  }
});

test('a departure frees the vendor', async () => {
  const stream = client.messages.stream({ ...asked, model: 'claude-endless' });
  await new Promise((resolve) => stream.once('text', resolve));
  assert.equal(await open('messages'), 1);
  stream.abort();
  await assert.rejects(stream.done(), sdk.APIUserAbortError);
  await freed('messages');
});
