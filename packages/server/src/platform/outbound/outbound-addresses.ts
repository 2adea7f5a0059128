import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Which addresses an outbound call may reach (docs/design/quality.md T8, F21). We judge addresses, never spellings: an
 * IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4, ISATAP) is judged as that IPv4 address. Only global
 * unicast passes.
 */

/** Ranges of ipaddr.js that are the open internet. Everything else is private, special or reserved. */
const openRange = 'unicast';

/** Metadata services of the large clouds at addresses outside any special range. */
const metadataAddresses = ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'];
/** Ranges that ipaddr.js calls unicast although no public host has an address in them. */
const closedNetworks = [
  '0.0.0.0/8',
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fec0::/10',
].map((network) => ipaddr.parseCIDR(network));
const globalUnicast = ipaddr.parseCIDR('2000::/3');

type OutboundAddress = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [OutboundAddress, number];

/** Private networks that the operator opened (OUTBOUND_ALLOW_CIDRS): networks or single addresses. */
export function parseNetworks(texts: readonly string[]): Network[] {
  return texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/** True when a call may connect to the address. False for a text that is not an address. */
export function mayReach(text: string, allowed: readonly Network[] = []): boolean {
  // ipaddr.js also reads `1.2.3` and octal forms.
  if (isIP(text) === 0) return false;
  const address = innermost(ipaddr.parse(text));
  if (address === null) return false;
  if (allowed.some((network) => contains(network, address))) return true;
  if (metadataAddresses.includes(address.toString())) return false;
  if (closedNetworks.some((network) => contains(network, address))) return false;
  if (address.kind() === 'ipv6' && !contains(globalUnicast, address)) return false;
  return address.range() === openRange;
}

function contains([network, bits]: Network, address: OutboundAddress): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/** The v4 address inside a v6 one, else the address itself; null for a form that carries a v4 address we cannot judge. */
function innermost(address: OutboundAddress): OutboundAddress | null {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const parts = address.parts;
  const v4 = (high: number | undefined, low: number | undefined) =>
    new ipaddr.IPv4([(high ?? 0) >> 8, (high ?? 0) & 0xff, (low ?? 0) >> 8, (low ?? 0) & 0xff]);
  const leading = (...expected: number[]) => expected.every((part, at) => parts[at] === part);
  if (address.isIPv4MappedAddress()) return v4(parts[6], parts[7]);
  // ::a.b.c.d, long deprecated; :: and ::1 fall under it and come out as 0.0.0.0 and 0.0.0.1.
  if (leading(0, 0, 0, 0, 0, 0)) return v4(parts[6], parts[7]);
  // ::ffff:0:a.b.c.d (RFC 2765) and NAT64 (RFC 6052: 64:ff9b::/96; RFC 8215: 64:ff9b:1::/48, position unknown).
  if (leading(0, 0, 0, 0, 0xffff, 0)) return v4(parts[6], parts[7]);
  if (leading(0x64, 0xff9b, 0, 0, 0, 0)) return v4(parts[6], parts[7]);
  if (leading(0x64, 0xff9b)) return null;
  // 6to4 (RFC 3056).
  if (leading(0x2002)) return v4(parts[1], parts[2]);
  // ISATAP (RFC 5214): the interface id is 0:5efe or 200:5efe.
  if (parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)) return v4(parts[6], parts[7]);
  return address;
}
