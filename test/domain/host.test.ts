import { describe, expect, test } from 'vitest';
import { HOST_NAME, isLocalhost, isLoopbackHost, ORIGIN_FORM } from '../../src/domain/host.ts';

describe('interface §6: hosts', () => {
  test.each([
    ['http://shop.test', true],
    ['https://shop.test:8443/', true],
    ['HTTP://Shop_1.Test', true],
    ['http://127.0.0.1', true],
    ['http://[::1]:4747', true],
    ['ftp://shop.test', false],
    ['shop.test', false],
    ['see http://shop.test', false],
    ['http://', false],
    ['http://shop.test:', false],
    ['http://shop.test:80a', false],
    ['http://shop.test/path', false],
    ['http://shop.test?query', false],
    ['http://ada@shop.test', false],
    ['http://shop test', false],
    ['http://[shop]', false],
  ])('a public URL may be %s: %s', (url, isOne) => {
    expect(ORIGIN_FORM.test(url)).toBe(isOne);
  });

  test.each([
    ['a', true],
    ['_shop', true],
    ['Shop-1.test', true],
    ['shop.test.', true],
    ['a'.repeat(253), true],
    ['a'.repeat(254), false],
    ['', false],
    ['-shop', false],
    ['shop-', false],
    ['.shop', false],
    ['shop..', false],
    ['shop:80', false],
    ['my shop', false],
    ['http://shop', false],
  ])('a name is %s: %s', (name, isOne) => {
    expect(HOST_NAME.test(name)).toBe(isOne);
  });

  test.each([
    ['localhost', true, true],
    ['shop.localhost', true, false],
    ['127.0.0.1', false, true],
    ['127.255.0.30', false, true],
    ['[::1]', false, true],
    ['mylocalhost', false, false],
    ['localhost.test', false, false],
    ['128.0.0.1', false, false],
    ['127.0.0', false, false],
    ['127.0.0.1.1', false, false],
    ['10.127.0.0.1', false, false],
    ['[::2]', false, false],
  ])('%s is localhost or below it: %s; no other machine: %s', (name, isLocal, isLoopback) => {
    expect([isLocalhost(name), isLoopbackHost(name)]).toEqual([isLocal, isLoopback]);
  });
});
