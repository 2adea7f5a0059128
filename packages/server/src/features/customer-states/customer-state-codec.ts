import { type CustomerState, emptyState } from './customer-state.ts';

// Binary, because every decision reads and writes the row (measured against JSON: docs/adr/0011-rows-of-the-hot-path.md).
// Layout: format, UUID dictionary, lanes, log (delta-coded instants),
// reservations, outcomes. Numbers are LEB128 varints up to 2^53.

const formatVersion = 1;

let scratch = Buffer.allocUnsafe(4096);
let at = 0;

function room(bytes: number): void {
  if (at + bytes <= scratch.length) return;
  const grown = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + bytes));
  scratch.copy(grown, 0, 0, at);
  scratch = grown;
}

function putNumber(value: number): void {
  room(8);
  let rest = value;
  while (rest >= 128) {
    scratch[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  scratch[at++] = rest;
}

/** Bytes of ids seen lately: offers, creatives and channels come again and again. */
const known = new Map<string, Buffer>();
const mostKnown = 50_000;

function putKnownUuid(value: string): void {
  let bytes = known.get(value);
  if (bytes === undefined) {
    bytes = Buffer.from(value.replaceAll('-', ''), 'hex');
    if (known.size >= mostKnown) known.clear();
    known.set(value, bytes);
  }
  room(16);
  scratch.set(bytes, at);
  at += 16;
}

/** An id that hardly comes again: remembered, a few minutes of reservations would drive out all that do. */
function putUuid(value: string): void {
  room(16);
  scratch.write(value.replaceAll('-', ''), at, 16, 'hex');
  at += 16;
}

function putText(value: string): void {
  const bytes = Buffer.byteLength(value);
  putNumber(bytes);
  room(bytes);
  at += scratch.write(value, at, bytes, 'utf8');
}

/** Encodes a state for its row. */
export function encodeState(state: CustomerState): Buffer {
  const ids = new Map<string, number>();
  const ref = (id: string | null): number => {
    if (id === null) return 0;
    let n = ids.get(id);
    if (n === undefined) {
      n = ids.size + 1;
      ids.set(id, n);
    }
    return n;
  };
  const refs = state.lanes.map((l) => [ref(l.offerId), ref(l.creativeId), ref(l.channelId), ref(l.campaignId)]);
  at = 0;
  putNumber(formatVersion);
  putNumber(ids.size);
  for (const id of ids.keys()) putKnownUuid(id);
  putNumber(refs.length);
  for (let i = 0; i < refs.length; i++) {
    for (const n of refs[i]!) putNumber(n);
    putNumber(state.totals[i]!);
    putNumber(state.lastAt[i]!);
  }
  putNumber(state.keptFrom);
  putNumber(state.log.length);
  let previous = 0;
  for (const entry of state.log) {
    putNumber(entry.lane);
    putNumber(entry.at - previous);
    previous = entry.at;
  }
  putNumber(state.reservations.length);
  for (const r of state.reservations) {
    putUuid(r.id);
    putNumber(r.lane);
    putNumber(r.at);
    putNumber(r.expiresAt);
  }
  putNumber(state.outcomes.length);
  for (const o of state.outcomes) {
    putText(o.key);
    putNumber(o.lane);
    putNumber(o.at);
  }
  return Buffer.from(scratch.subarray(0, at));
}

/** Decodes a state row. Throws on a format it does not know: a state that cannot be read must not look like none. */
export function decodeState(bytes: Buffer): CustomerState {
  if (bytes.length === 0) return emptyState();
  let position = 0;
  const number = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (position >= bytes.length) throw new Error('customer state is cut short');
      const byte = bytes[position++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  const uuid = (): string => {
    if (position + 16 > bytes.length) throw new Error('customer state is cut short');
    const hex = bytes.toString('hex', position, position + 16);
    position += 16;
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
  if (number() !== formatVersion) throw new Error('customer state has an unknown format');
  const ids: string[] = [''];
  for (let n = number(); n > 0; n--) ids.push(uuid());
  const nullable = (): string | null => {
    const n = number();
    return n === 0 ? null : ids[n]!;
  };
  const state = emptyState();
  for (let n = number(); n > 0; n--) {
    state.lanes.push({
      offerId: ids[number()]!,
      creativeId: nullable(),
      channelId: nullable(),
      campaignId: nullable(),
    });
    state.totals.push(number());
    state.lastAt.push(number());
  }
  state.keptFrom = number();
  let previous = 0;
  for (let n = number(); n > 0; n--) {
    const lane = number();
    previous += number();
    state.log.push({ lane, at: previous });
  }
  for (let n = number(); n > 0; n--) {
    state.reservations.push({ id: uuid(), lane: number(), at: number(), expiresAt: number() });
  }
  for (let n = number(); n > 0; n--) {
    const length = number();
    const key = bytes.toString('utf8', position, position + length);
    position += length;
    state.outcomes.push({ key, lane: number(), at: number() });
  }
  return state;
}
