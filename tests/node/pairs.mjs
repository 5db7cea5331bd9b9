// Every Node client against every upstream shape, behind a vendor that checks what it gets.
// tests/end_to_end/sdk/test_pairs.py starts it; pairs.py there says what is answered.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Anthropic } from '@anthropic-ai/sdk';
import * as ai from 'ai-7';
import { createAnthropic } from 'ai-7-anthropic';
import { createGoogleGenerativeAI } from 'ai-7-google';
import { createOpenAI } from 'ai-7-openai';
import { GoogleGenAI } from 'genai-3';
import OpenAI from 'openai-7';
import { z } from 'zod';
import { all, base, key } from './gateway.mjs';

const upstreams = ['chat', 'responses', 'messages', 'generate', 'converse', 'cohere'];
const text = 'Grüße aus Köln.';
const question = 'Weather?';
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const schemas = { look: city, now: { type: 'object', properties: {} } };
const called = [['look', { city: 'Köln' }], ['look', { city: 'Oslo' }], ['now', {}]];
const results = ['12 degrees', '3 degrees', '12:00'];
const declared = (make) => Object.entries(schemas).map(([name, schema]) => make(name, schema));

const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: base, apiKey: key, maxRetries: 0 });
const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${base}/vendorc` } });

/** Each caller: a fresh conversation that is asked and answered as its documentation does. */
const callers = {
  chat() {
    const messages = [{ role: 'user', content: question }];
    let calls = [];
    return {
      async ask(model, { stream, tools } = {}) {
        const options = {
          model,
          messages,
          max_completion_tokens: 64,
          ...(tools && { tools: declared((name, parameters) => ({ type: 'function', function: { name, parameters } })) }),
        };
        const answer = stream
          ? await openai.chat.completions.stream(options).finalChatCompletion()
          : await openai.chat.completions.create(options);
        const { message } = answer.choices[0];
        messages.push(message);
        calls = message.tool_calls ?? [];
        return { text: message.content, calls: calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]) };
      },
      answer: () => calls.forEach(({ id }, at) => messages.push({ role: 'tool', tool_call_id: id, content: results[at] })),
    };
  },
  responses() {
    const input = [{ role: 'user', content: question }];
    let calls = [];
    return {
      async ask(model, { stream, tools } = {}) {
        const options = {
          model,
          input,
          store: false,
          max_output_tokens: 64,
          ...(tools && { tools: declared((name, parameters) => ({ type: 'function', name, parameters, strict: false })) }),
        };
        const answer = stream
          ? await openai.responses.stream(options).finalResponse()
          : await openai.responses.create(options);
        input.push(...answer.output);
        calls = answer.output.filter((item) => item.type === 'function_call');
        return { text: answer.output_text, calls: calls.map((call) => [call.name, JSON.parse(call.arguments)]) };
      },
      answer: () =>
        calls.forEach(({ call_id }, at) => input.push({ type: 'function_call_output', call_id, output: results[at] })),
    };
  },
  messages() {
    const messages = [{ role: 'user', content: question }];
    let calls = [];
    return {
      async ask(model, { stream, tools } = {}) {
        const options = {
          model,
          messages,
          max_tokens: 64,
          ...(tools && { tools: declared((name, input_schema) => ({ name, input_schema })) }),
        };
        const answer = stream
          ? await anthropic.messages.stream(options).finalMessage()
          : await anthropic.messages.create(options);
        messages.push({ role: 'assistant', content: answer.content });
        calls = answer.content.filter((block) => block.type === 'tool_use');
        const texts = answer.content.filter((block) => block.type === 'text').map((block) => block.text);
        return { text: texts.join(''), calls: calls.map((call) => [call.name, call.input]) };
      },
      answer: () =>
        messages.push({
          role: 'user',
          content: calls.map(({ id }, at) => ({ type: 'tool_result', tool_use_id: id, content: results[at] })),
        }),
    };
  },
  generate() {
    const contents = [{ role: 'user', parts: [{ text: question }] }];
    let calls = [];
    return {
      async ask(model, { stream, tools } = {}) {
        const functionDeclarations = declared((name, parametersJsonSchema) => ({ name, parametersJsonSchema }));
        const config = { maxOutputTokens: 64, ...(tools && { tools: [{ functionDeclarations }] }) };
        const chunks = stream
          ? await all(await google.models.generateContentStream({ model, contents, config }))
          : [await google.models.generateContent({ model, contents, config })];
        const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
        contents.push({ role: 'model', parts });
        calls = parts.filter((part) => part.functionCall).map((part) => part.functionCall);
        const texts = parts.filter((part) => part.text && !part.thought).map((part) => part.text);
        return { text: texts.join(''), calls: calls.map((call) => [call.name, call.args ?? {}]) };
      },
      answer: () =>
        contents.push({
          role: 'user',
          parts: calls.map(({ id, name }, at) => ({ functionResponse: { id, name, response: { output: results[at] } } })),
        }),
    };
  },
};

for (const [caller, made] of Object.entries(callers)) {
  for (const upstream of upstreams) {
    describe(`${caller} to ${upstream}`, () => {
      for (const stream of [false, true]) {
        const how = stream ? 'streamed' : 'whole';

        test(`a text, ${how}`, async () => {
          assert.equal((await made().ask(`text-${upstream}`, { stream })).text, text);
        });

        test(`a loop of tools, ${how}`, async () => {
          const sdk = made();
          const first = await sdk.ask(`calls-${upstream}`, { stream, tools: true });
          assert.deepEqual([first.text, first.calls], ['Let me see.', called]);
          sdk.answer();
          assert.equal((await sdk.ask(`calls-${upstream}`, { stream, tools: true })).text, text);
        });

        test(`reasoning comes back to its maker, ${how}`, async () => {
          const sdk = made();
          assert.equal((await sdk.ask(`signed-${upstream}`, { stream, tools: true })).calls.length, 1);
          // plain words, which the caller is not shown and which have nothing sealed on them
          if (caller === 'generate' && upstream === 'cohere') return;
          sdk.answer();
          assert.equal((await sdk.ask(`signed-${upstream}`, { stream, tools: true })).text, text);
        });

        test(`refusals, ${how}`, async () => {
          for (const [scene, status] of [['bad', 400], ['busy', 429], ['broke', 502], ['over', 503]]) {
            const error = await made().ask(`${scene}-${upstream}`, { stream }).catch((caught) => caught);
            const wanted = caller === 'messages' && status === 503 ? 529 : status;
            assert.equal(error.status, wanted, `${error}`);
          }
        });
      }

      test('an error inside the stream', async () => {
        await assert.rejects(made().ask(`broken-${upstream}`, { stream: true }), (error) => !/RULES/.test(error.message));
      });
    });
  }
}

const vercel = {
  chat: createOpenAI({ baseURL: `${base}/v1`, apiKey: key }).chat,
  responses: createOpenAI({ baseURL: `${base}/v1`, apiKey: key }),
  messages: createAnthropic({ baseURL: `${base}/v1`, apiKey: key }),
  generate: createGoogleGenerativeAI({ baseURL: `${base}/vendorc/v1beta`, apiKey: key }),
};
const person = z.object({ name: z.string(), born: z.number().nullable() });
const town = z.object({
  city: z.string(),
  people: z.number().min(0),
  mayor: person,
  council: z.array(person),
  climate: z.enum(['mild', 'cold']),
});
const tools = {
  look: ai.tool({
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city: name }) => (name === 'Oslo' ? results[1] : results[0]),
  }),
  now: ai.tool({ inputSchema: z.object({}), execute: () => results[2] }),
};

for (const [caller, named] of Object.entries(vercel)) {
  for (const upstream of upstreams) {
    describe(`ai: ${caller} to ${upstream}`, () => {
      const options = (scene) => ({
        model: named(`${scene}-${upstream}`),
        prompt: question,
        maxRetries: 0,
        // it refers to the vendor's own store otherwise, which this one has not
        ...(caller === upstream && { providerOptions: { openai: { store: false } } }),
      });

      test('a loop of tools, whole', async () => {
        const answer = await ai.generateText({ ...options('calls'), tools, stopWhen: ai.stepCountIs(3) });
        assert.deepEqual([answer.text, answer.finishReason, answer.steps.length], [text, 'stop', 2]);
        assert.deepEqual(answer.steps[0].toolCalls.map((call) => [call.toolName, call.input]), called);
      });

      test('a loop of tools, streamed', async () => {
        const errors = [];
        const onError = ({ error }) => errors.push(`${error}`);
        const answer = ai.streamText({ ...options('calls'), tools, stopWhen: ai.stepCountIs(3), onError });
        assert.ok((await all(answer.textStream)).join('').endsWith(text), errors.join());
        assert.equal((await answer.steps).length, 2);
      });

      // of a chat answer this client keeps only the ids of calls, and here nobody translates
      if ((caller !== 'chat' || upstream !== 'chat') && (caller !== 'generate' || upstream !== 'cohere')) {
        test('reasoning comes back to its maker', async () => {
          for (const stream of [false, true]) {
            const wish = { ...options('signed'), tools, stopWhen: ai.stepCountIs(3), onError: () => {} };
            const answer = stream ? ai.streamText(wish) : await ai.generateText(wish);
            assert.ok((await answer.text).endsWith(text));
            assert.equal((await answer.steps).length, 2);
          }
        });
      }

      test('an object', async () => {
        const { output } = await ai.generateText({ ...options('town'), output: ai.Output.object({ schema: town }) });
        assert.deepEqual([output.city, output.mayor, output.council.length], ['Köln', { name: 'Ada', born: null }, 1]);
      });

      test('how it ended', async () => {
        // Cohere has no word for an answer that was filtered
        const ends = [['length', 'length'], ...(upstream === 'cohere' ? [] : [['block', 'content-filter']])];
        for (const [scene, reason] of ends) {
          assert.equal((await ai.generateText(options(scene))).finishReason, reason, scene);
        }
      });

      test('refusals', async () => {
        const error = await ai.generateText(options('bad')).catch((caught) => caught);
        assert.equal(error.statusCode, 400, `${error}`);
      });
    });
  }
}
