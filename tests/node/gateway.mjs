// Where the gateway under test is, what it serves, and how trouble is looked at.
// tests/end_to_end/sdk/test_node.py starts it and sets the three variables.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

export const base = process.env.TRIVIUM_TEST_ORIGIN;
export const key = process.env.TRIVIUM_TEST_KEY;
const vendor = process.env.TRIVIUM_TEST_VENDOR;

export const greeting = 'Grüße, 世界 👋';
export const vector = [0.25, -0.5, 1.0];

/** Everything an async iterable gives. */
export async function all(stream) {
  const out = [];
  for await (const piece of stream) out.push(piece);
  return out;
}

/** A fetch that counts. */
export function counting() {
  const counted = (...args) => {
    counted.calls += 1;
    return fetch(...args);
  };
  counted.calls = 0;
  return counted;
}

/** The vendor is told within a second that nobody listens to this endless answer any more. */
export async function freed(shape) {
  for (let waited = 0; waited <= 1000; waited += 50) {
    const open = await (await fetch(`${vendor}/open/${shape}`)).json();
    if (open === 0) return;
    await sleep(50);
  }
  assert.fail(`the vendor still answers a ${shape} request that nobody listens to`);
}

/** How many endless answers the vendor is giving. */
export async function open(shape) {
  return (await fetch(`${vendor}/open/${shape}`)).json();
}
