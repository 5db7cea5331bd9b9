// Published Node clients go the whole way: authorize, token, userinfo, refresh.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Auth, skipCSRFCheck } from '@auth/core';
import OAuth2Strategy from 'passport-oauth2';
import * as openid from 'openid-client';
import { AuthorizationCode } from 'simple-oauth2';

import { at, authorized, callback, checkRecord, clientId, clientSecret, origin } from './browser.mjs';

const scope = 'profile balance';

/** The user's record, without any library. */
async function userinfo(token) {
  const answer = await fetch(at('userinfo'), { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
  return answer.json();
}

for (const [name, method] of [
  ['post', () => openid.ClientSecretPost(clientSecret)],
  ['basic', () => openid.ClientSecretBasic(clientSecret)],
]) {
  test(`openid-client finds everything by the issuer, and authenticates by ${name}`, async () => {
    const config = await openid.discovery(new URL(origin), clientId, undefined, method(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const back = new URL(await authorized(url.href));
    const tokens = await openid.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    assert.equal(tokens.scope, scope);
    const sub = String((await userinfo(tokens.access_token)).id);
    checkRecord(await openid.fetchUserInfo(config, tokens.access_token, sub));
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token);
    checkRecord(await userinfo(renewed.access_token));
    await openid.tokenRevocation(config, renewed.refresh_token);
    await assert.rejects(openid.refreshTokenGrant(config, renewed.refresh_token), {
      error: 'invalid_grant',
    });
  });
}

test('simple-oauth2 authenticates by Basic and refreshes', async () => {
  const client = new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: {
      tokenHost: origin,
      tokenPath: '/api/oauth2/token',
      authorizePath: '/api/oauth2/authorize',
      revokePath: '/api/oauth2/revoke',
    },
  });
  const url = client.authorizeURL({ redirect_uri: callback, scope, state: 'a state' });
  const back = new URL(await authorized(url));
  assert.equal(back.searchParams.get('state'), 'a state');
  const code = back.searchParams.get('code');
  const token = await client.getToken({ code, redirect_uri: callback });
  assert.equal(token.expired(), false);
  const renewed = await token.refresh();
  checkRecord(await userinfo(renewed.token.access_token));
  await renewed.revokeAll();
  await assert.rejects(renewed.refresh());
});

/** Runs a passport strategy for one request; what it decided. */
function passed(strategy, request, options = {}) {
  return new Promise((resolve, reject) => {
    const running = Object.create(strategy);
    running.redirect = (url) => resolve({ url });
    running.success = (user) => resolve({ user });
    running.fail = (challenge, status) => reject(new Error(`failed: ${status} ${challenge?.message}`));
    running.error = reject;
    running.authenticate(request, options);
  });
}

test('passport-oauth2 keeps state and PKCE in the session', async () => {
  const strategy = new OAuth2Strategy(
    {
      authorizationURL: at('authorize'),
      tokenURL: at('token'),
      clientID: clientId,
      clientSecret,
      callbackURL: callback,
      scope: scope.split(' '),
      scopeSeparator: ' ',
      state: true,
      pkce: 'S256',
    },
    (accessToken, refreshToken, profile, done) => done(null, { accessToken, refreshToken }),
  );
  const session = {};
  const { url } = await passed(strategy, { session, query: {} });
  const back = new URL(await authorized(url));
  const { user } = await passed(strategy, {
    session,
    query: Object.fromEntries(back.searchParams),
  });
  checkRecord(await userinfo(user.accessToken));
  assert.match(user.refreshToken, /^gwrt_/);
});

test('Auth.js sends PKCE and no state', async () => {
  const registered = process.env.TRIVIUM_TEST_AUTH_JS;
  const home = new URL(registered).origin;
  let seen;
  const config = {
    secret: 'a secret of the application that is long enough',
    trustHost: true,
    basePath: '/auth',
    skipCSRFCheck,
    logger: { error: (error) => assert.fail(error), warn: () => {}, debug: () => {} },
    providers: [
      {
        id: 'trivium',
        name: 'Trivium',
        type: 'oauth',
        clientId: process.env.TRIVIUM_TEST_AUTH_JS_ID,
        clientSecret: process.env.TRIVIUM_TEST_AUTH_JS_SECRET,
        authorization: { url: at('authorize'), params: { scope } },
        token: at('token'),
        userinfo: at('userinfo'),
        profile: (told) => {
          seen = told;
          return { id: String(told.id), name: told.username, email: told.email };
        },
      },
    ],
  };
  const begun = await Auth(new Request(`${home}/auth/signin/trivium`, { method: 'POST' }), config);
  const url = new URL(begun.headers.get('location'));
  assert.equal(url.searchParams.get('state'), null);
  assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const back = await authorized(url.href, registered);
  const done = await Auth(new Request(back, { headers: { cookie } }), config);
  assert.equal(done.status, 302);
  assert.match(done.headers.getSetCookie().join(), /session-token=/);
  checkRecord(seen);
});
