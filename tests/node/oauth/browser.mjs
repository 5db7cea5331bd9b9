// A browser without a screen: logs in, answers the question, tells where it was sent.
// tests/end_to_end/oauth/test_node.py starts the gateway and sets the variables.
import assert from 'node:assert/strict';

export const origin = process.env.TRIVIUM_TEST_ORIGIN;
export const clientId = process.env.TRIVIUM_TEST_CLIENT_ID;
export const clientSecret = process.env.TRIVIUM_TEST_CLIENT_SECRET;
export const callback = process.env.TRIVIUM_TEST_CALLBACK;
export const at = (name) => `${origin}/api/oauth2/${name}`;

export const record = {
  username: 'ada',
  email: 'ada@example.org',
  quota: 1250000,
  balance_formatted: '2.50',
  status: 1,
};

/** Goes where an application sends its user, logs in, agrees; the address it is sent back to. */
export async function authorized(url, registered = callback) {
  const cookies = new Map();
  const go = async (where, form) => {
    const answer = await fetch(new URL(where, origin), {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form ? { 'sec-fetch-site': 'same-origin' } : {}),
      },
      body: form && new URLSearchParams(form),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  };
  const until = async (where) => {
    for (;;) {
      const answer = await go(where);
      if (answer.status !== 303) return { where, text: await answer.text() };
      where = answer.headers.get('location');
      if (where.startsWith(registered)) return { where };
    }
  };
  const csrf = (page) => page.text.match(/name="csrf" value="([^"]+)"/)[1];
  let page = await until(url);
  if (page.where.startsWith('/login')) {
    const place = new URL(page.where, origin).searchParams.get('for');
    const form = {
      csrf: csrf(page),
      name: 'ada',
      password: process.env.TRIVIUM_TEST_PASSWORD,
      place,
    };
    const entered = await go('/login', form);
    // who has nothing to be asked goes on from a page that moves by itself
    const moves = entered.headers.get('refresh')?.replace('0; url=', '');
    page = await until(entered.headers.get('location') ?? moves);
  }
  if (page.where.startsWith(registered)) return page.where;
  const sent = await go(page.where, { csrf: csrf(page), answer: 'allow' });
  assert.equal(sent.status, 303);
  return sent.headers.get('location');
}

/** What the user's record has of ours. */
export function checkRecord(told) {
  for (const [name, value] of Object.entries(record)) assert.equal(told[name], value, name);
}
