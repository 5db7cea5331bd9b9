// Node clients in front of a real model: the helpers that the engine's own streams would break.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as anthropic from '@anthropic-ai/sdk';
import * as ai from 'ai-7';
import { createOpenAI } from 'ai-7-openai';
import * as six from 'openai-6';
import * as seven from 'openai-7';
import { all, base, key } from './gateway.mjs';

const model = 'smol';
const turns = ['Say hello.', '🌟🌟🌟🌟🌟'].map((content) => [{ role: 'user', content }]);

for (const [major, sdk] of Object.entries({ 6: six, 7: seven })) {
  const client = new sdk.OpenAI({ baseURL: `${base}/v1`, apiKey: key });

  test(`openai ${major}: chat through the stream helper`, async () => {
    for (const messages of turns) {
      const stream = client.chat.completions.stream({ model, messages, max_tokens: 8 });
      const final = await stream.finalChatCompletion();
      assert.equal(final.choices[0].message.role, 'assistant');
    }
  });

  test(`openai ${major}: responses through the stream helper`, async () => {
    for (const input of turns) {
      const final = await client.responses.stream({ model, input, max_output_tokens: 4 }).finalResponse();
      assert.equal(final.incomplete_details.reason, 'max_output_tokens');
    }
  });
}

test('anthropic: messages through the stream helper', async () => {
  const client = new anthropic.Anthropic({ baseURL: base, apiKey: key });
  for (const messages of turns) {
    const final = await client.messages.stream({ model, messages, max_tokens: 8 }).finalMessage();
    assert.ok(final.usage.output_tokens > 0);
  }
});

test('ai 7: responses and chat', async () => {
  const openai = createOpenAI({ baseURL: `${base}/v1`, apiKey: key });
  for (const made of [openai(model), openai.chat(model)]) {
    const result = ai.streamText({ model: made, prompt: 'Say hello.', maxOutputTokens: 16 });
    assert.ok((await all(result.textStream)).join('').trim());
    assert.ok((await result.usage).outputTokens > 0);
  }
});
