import { expect, test } from 'vitest';
import { isLoopback } from '../../../src/cli/server/url.ts';

test.each([
  ['http://localhost:4747', true],
  ['http://127.0.0.1', true],
  ['http://127.8.9.1:80/v1', true],
  ['https://[::1]:4747', true],
  ['http://localhost.evil.test', false],
  ['http://127.0.0.1.evil.test', false],
  ['http://128.0.0.1', false],
  ['http://[::2]', false],
])('interface §6: %s is on this machine: %s', (url, isHere) => expect(isLoopback(url)).toBe(isHere));
