import { isIPv6 } from 'node:net';

/**
 * Returns what a limit per address counts: an IPv4 address, or the 64-bit network of an IPv6 address, because a caller
 * with one address there has 2^64 of them (RFC 6177). An IPv4 address written as IPv6 is the same caller. Drops the
 * port that some proxies add, because it changes with each connection.
 */
export function networkOf(address: string): string {
  const [bare = ''] = withoutPort(address.trim()).split('%', 1);
  if (!isIPv6(bare)) return bare;
  const groups = groupsOf(bare);
  const [first = 0, second = 0, third = 0, fourth = 0, fifth, sixth, high = 0, low = 0] = groups;
  const isMapped = first + second + third + fourth === 0 && fifth === 0 && sixth === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${[first, second, third, fourth].map((group) => group.toString(16)).join(':')}::/64`;
}

function withoutPort(address: string): string {
  const [, inBrackets] = /^\[([^\]]+)\](?::\d+)?$/.exec(address) ?? [];
  if (inBrackets !== undefined) return inBrackets;
  const [, beforePort] = /^([\d.]+):\d+$/.exec(address) ?? [];
  return beforePort ?? address;
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser always writes the last 32 bits in hexadecimal.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = text.split('::', 2);
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [read(before), read(after ?? '')];
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
