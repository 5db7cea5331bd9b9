// Vercel's AI SDK, current and previous major, with its three providers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as six from 'ai-6';
import * as sixAnthropic from 'ai-6-anthropic';
import * as sixGoogle from 'ai-6-google';
import * as sixOpenai from 'ai-6-openai';
import * as seven from 'ai-7';
import * as sevenAnthropic from 'ai-7-anthropic';
import * as sevenGoogle from 'ai-7-google';
import * as sevenOpenai from 'ai-7-openai';
import { z } from 'zod';
import { all, base, greeting, key, vector } from './gateway.mjs';

const generations = {
  6: [six, sixOpenai, sixAnthropic, sixGoogle],
  7: [seven, sevenOpenai, sevenAnthropic, sevenGoogle],
};

for (const [major, [ai, openaiSdk, anthropicSdk, googleSdk]] of Object.entries(generations)) {
  const openai = openaiSdk.createOpenAI({ baseURL: `${base}/v1`, apiKey: key });
  const anthropic = anthropicSdk.createAnthropic({ baseURL: `${base}/v1`, apiKey: key });
  const google = googleSdk.createGoogleGenerativeAI({ baseURL: `${base}/vendorc/v1beta`, apiKey: key });
  const models = {
    'openai responses': openai('gpt-text'),
    'openai chat': openai.chat('gpt-text'),
    anthropic: anthropic('claude-text'),
    google: google('gemini-text'),
  };
  const texts = { anthropic: [greeting, greeting], google: [greeting, greeting], 'openai chat': ['Hi', 'Hi there'] };

  describe(`ai ${major}`, () => {
    for (const [name, model] of Object.entries(models)) {
      test(`${name}: a text`, async () => {
        const { text, usage, finishReason } = await ai.generateText({ model, prompt: 'Say hello.' });
        assert.ok(text);
        if (texts[name]) assert.equal(text, texts[name][0]);
        assert.equal(finishReason, 'stop');
        assert.ok(usage.totalTokens > 0);
      });

      test(`${name}: a text streamed`, async () => {
        const result = ai.streamText({ model, prompt: 'Say hello.', onError: () => {} });
        const text = (await all(result.textStream)).join('');
        assert.ok(text);
        if (texts[name]) assert.equal(text, texts[name][1]);
        assert.ok((await result.usage).totalTokens > 0);
      });
    }

    test('tools', async () => {
      const tool = ai.tool({ description: 'Weather', inputSchema: z.object({ city: z.string() }) });
      const { toolCalls } = await ai.generateText({
        model: openai.chat('gpt-tools'),
        prompt: 'Weather?',
        tools: { weather: tool },
      });
      assert.deepEqual([toolCalls[0].toolName, toolCalls[0].input], ['weather', { city: 'Köln' }]);
    });

    test('embeddings', async () => {
      for (const model of [openai.textEmbeddingModel('gpt-text'), google.textEmbeddingModel('gemini-text')]) {
        const { embeddings } = await ai.embedMany({ model, values: ['a', 'b'] });
        assert.deepEqual(embeddings, [vector, vector]);
      }
    });

    test('refusals', async () => {
      for (const [model, status] of [
        [openai('gpt-nowhere'), 404],
        [anthropic('claude-nowhere'), 404],
        [google('gemini-nowhere'), 404],
        [openai.chat('gpt-refused'), 400],
      ]) {
        const error = await ai.generateText({ model, prompt: 'x', maxRetries: 0 }).catch((caught) => caught);
        assert.ok(ai.APICallError.isInstance(error), `${error}`);
        assert.equal(error.statusCode, status);
        assert.match(error.message, status === 404 ? /is not available on this gateway/ : /temperature/);
      }
    });

    test('a busy vendor is asked again after its delay', async () => {
      const error = await ai.generateText({ model: openai.chat('gpt-busy'), prompt: 'x' }).catch((caught) => caught);
      assert.ok(ai.RetryError.isInstance(error), `${error}`);
      assert.equal(error.errors.length, 3);
    });

    test('an answer that breaks', async () => {
      for (const model of [
        openai.chat('gpt-error'),
        openai('gpt-error'),
        anthropic('claude-error-after'),
        google('gemini-error'),
      ]) {
        const errors = [];
        const result = ai.streamText({ model, prompt: 'x', onError: ({ error }) => errors.push(error) });
        const parts = await all(result.fullStream);
        assert.ok(parts.some((part) => part.type === 'error'), `${model.provider}: ${parts.map((part) => part.type)}`);
        assert.ok(errors.length);
      }
    });
  });
}
