// The official Google client for Node, current and previous major.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as two from 'genai-2';
import * as three from 'genai-3';
import { all, base, freed, greeting, key, open, vector } from './gateway.mjs';

const model = 'gemini-text';

for (const [major, sdk] of Object.entries({ 2: two, 3: three })) {
  for (const [prefix, apiVersion] of [['/vendorc'], ['/vendorc', 'v1beta'], ['/gemini', 'v1'], ['', 'v1beta']]) {
    const options = { baseUrl: `${base}${prefix}`, ...(apiVersion && { apiVersion }) };
    const client = new sdk.GoogleGenAI({ apiKey: key, httpOptions: options });

    describe(`@google/genai ${major} at ${prefix || '/'} ${apiVersion ?? 'by default'}`, () => {
      test('an answer', async () => {
        const answer = await client.models.generateContent({ model, contents: 'Say hello.' });
        assert.equal(answer.text, greeting);
        assert.equal(answer.usageMetadata.totalTokenCount, 11);
      });

      test('an answer streamed', async () => {
        const chunks = await all(await client.models.generateContentStream({ model, contents: 'x' }));
        assert.equal(chunks.map((chunk) => chunk.text ?? '').join(''), greeting);
        assert.equal(chunks.at(-1).usageMetadata.totalTokenCount, 11);
      });

      test('tokens and embeddings', async () => {
        assert.equal((await client.models.countTokens({ model, contents: 'x' })).totalTokens, 31);
        const answer = await client.models.embedContent({ model, contents: ['a', 'b'] });
        assert.deepEqual(answer.embeddings.map((one) => one.values), [vector, vector]);
      });

      test('models', async () => {
        const names = (await all(await client.models.list({ config: { pageSize: 30 } }))).map((one) => one.name);
        assert.ok(names.includes('models/gemini-text'));
        assert.equal(new Set(names).size, names.length);
        assert.equal((await client.models.get({ model: 'acme/gemini-mini:free' })).name, 'models/acme/gemini-mini:free');
      });

      test('a function is called', async () => {
        const chunks = await all(
          await client.models.generateContentStream({ model: 'gemini-function-call', contents: 'x' }),
        );
        const calls = chunks.flatMap((chunk) => chunk.functionCalls ?? []);
        assert.ok(calls.length);
        assert.ok(calls.every((call) => typeof call.args === 'object'));
      });
    });
  }

  describe(`@google/genai ${major} in trouble`, () => {
    const client = new sdk.GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${base}/vendorc` } });

    test('refusals', async () => {
      for (const [name, status, words] of [
        ['gemini-nowhere', 404, 'NOT_FOUND'],
        ['gemini-refused', 400, 'INVALID_ARGUMENT'],
        ['gemini-busy', 429, 'RESOURCE_EXHAUSTED'],
        ['gemini-denied', 502, 'UNAVAILABLE'],
      ]) {
        const error = await client.models.generateContent({ model: name, contents: 'x' }).catch((caught) => caught);
        assert.ok(error instanceof sdk.ApiError, `${name}: ${error}`);
        assert.equal(error.status, status);
        assert.equal(JSON.parse(error.message).error.status, words);
      }
    });

    test('an answer that breaks', async () => {
      for (const name of ['gemini-error', 'gemini-cut']) {
        const stream = await client.models.generateContentStream({ model: name, contents: 'x' });
        await assert.rejects(all(stream), (error) => error instanceof sdk.ApiError && /upstream/.test(error.message));
      }
    });

    test('a departure frees the vendor', async () => {
      const controller = new AbortController();
      const stream = await client.models.generateContentStream({
        model: 'gemini-endless',
        contents: 'x',
        config: { abortSignal: controller.signal },
      });
      await stream.next();
      assert.equal(await open('generate'), 1);
      controller.abort();
      await freed('generate');
    });
  });
}
