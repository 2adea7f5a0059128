import {
  addContact,
  addOutcome,
  type CustomerState,
  emptyState,
  type LatestOutcome,
  type SinceBase,
} from './customer-state.ts';
import { bytesOfId, idAt, textOfId } from './known-ids.ts';

// Binary, because every decision reads and writes the row (measured against JSON: docs/adr/0011).
// A short state is written whole. A long one is split in two (docs/adr/0022): a base,
// written now and then, and a tail of later changes. Numbers are LEB128 varints up to 2^53.
//
// Whole, and base: format, UUID dictionary, lanes, log (delta-coded instants), reservations, outcomes.
// Tail: format, length and lanes of the base, start of the log, UUID dictionary, new lanes, contacts in the order in which they
// were counted, changed outcomes, reservations (a base has none).

const wholeFormat = 1;
const tailFormat = 2;

/** Up to this length a state is written whole. Beyond, its row is over 2 KB in any case, and PostgreSQL stores the base apart. */
export const longestWhole = 2_000;
/**
 * A longer tail, its reservations aside, becomes part of a new base: about where writing tails and writing bases cost the same.
 */
export const longestTail = 700;

/** What the row of a state holds. */
export interface StoredState {
  readonly state: Buffer;
  /** Null: none. Undefined when writing: the stored one stays. */
  readonly base: Buffer | null | undefined;
}

interface Writer {
  bytes: Buffer;
  at: number;
}

/** One shared writer: a state is encoded in one go, and its bytes are copied out. */
const writer: Writer = { bytes: Buffer.allocUnsafe(4096), at: 0 };

function room(out: Writer, bytes: number): void {
  if (out.at + bytes <= out.bytes.length) return;
  const grown = Buffer.allocUnsafe(Math.max(out.bytes.length * 2, out.at + bytes));
  out.bytes.copy(grown, 0, 0, out.at);
  out.bytes = grown;
}

function putNumber(out: Writer, value: number): void {
  room(out, 8);
  const { bytes } = out;
  let { at } = out;
  let rest = value;
  // An instant is beyond the integers of the processor's fast operations: in two halves it is not.
  if (value >= fourBytes) {
    const low = value % fourBytes;
    rest = (value - low) / fourBytes;
    bytes[at++] = (low & 127) | 128;
    bytes[at++] = ((low >>> 7) & 127) | 128;
    bytes[at++] = ((low >>> 14) & 127) | 128;
    bytes[at++] = (low >>> 21) | 128;
  }
  while (rest >= 128) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  out.at = at;
}

/** What four bytes of a number hold. */
const fourBytes = 2 ** 28;

/** A number that may be negative. */
const putSigned = (out: Writer, value: number): void => putNumber(out, value < 0 ? -2 * value - 1 : 2 * value);

function putText(out: Writer, value: string): void {
  const bytes = Buffer.byteLength(value);
  putNumber(out, bytes);
  room(out, bytes);
  out.at += out.bytes.write(value, out.at, bytes, 'utf8');
}

/** The dictionary and the lanes from `first` on; `counted`: with their totals and latest instants. */
function putLanes(out: Writer, state: CustomerState, first: number, counted: boolean): void {
  const { lanes } = state;
  const { ids, refs } = lanes.length - first <= fewLanes ? fewIds(lanes, first) : manyIds(lanes, first);
  putNumber(out, ids.length);
  room(out, 16 * ids.length);
  for (let n = 0; n < ids.length; n++) {
    const bytes = bytesOfId(ids[n]!);
    // Faster than a call of the platform, for so few.
    for (let i = 0; i < 16; i++) out.bytes[out.at + i] = bytes[i]!;
    out.at += 16;
  }
  putNumber(out, lanes.length - first);
  for (let i = first, ref = 0; i < lanes.length; i++) {
    for (let end = ref + 4; ref < end; ref++) putNumber(out, refs[ref]!);
    if (!counted) continue;
    putNumber(out, state.totals[i]!);
    putNumber(out, state.lastAt[i]!);
  }
}

/** Different ids in the order of the lanes, and for each id of a lane its position from 1 on, 0 for none. */
interface LaneIds {
  readonly ids: readonly string[];
  readonly refs: readonly number[];
}

/** Up to this many lanes, looking through a list is as fast as a map and leaves less to collect (docs/benchmarks.md). */
const fewLanes = 9;

function fewIds(lanes: CustomerState['lanes'], first: number): LaneIds {
  const ids: string[] = [];
  const refs: number[] = [];
  for (let i = first; i < lanes.length; i++) {
    const lane = lanes[i]!;
    refs.push(placeIn(ids, lane.offerId));
    refs.push(placeIn(ids, lane.creativeId));
    refs.push(placeIn(ids, lane.channelId));
    refs.push(placeIn(ids, lane.campaignId));
  }
  return { ids, refs };
}

function placeIn(ids: string[], id: string | null): number {
  if (id === null) return 0;
  for (let n = 0; n < ids.length; n++) if (ids[n] === id) return n + 1;
  return ids.push(id);
}

function manyIds(lanes: CustomerState['lanes'], first: number): LaneIds {
  const ids = new Map<string, number>();
  const refs: number[] = [];
  const refer = (id: string | null): void => {
    let n = id === null ? 0 : ids.get(id);
    if (n === undefined) {
      n = ids.size + 1;
      ids.set(id!, n);
    }
    refs.push(n);
  };
  for (let i = first; i < lanes.length; i++) {
    const lane = lanes[i]!;
    refer(lane.offerId);
    refer(lane.creativeId);
    refer(lane.channelId);
    refer(lane.campaignId);
  }
  return { ids: [...ids.keys()], refs };
}

function putReservations(out: Writer, reservations: CustomerState['reservations']): void {
  putNumber(out, reservations.length);
  for (const r of reservations) {
    room(out, 16);
    out.bytes.write(r.id.replaceAll('-', ''), out.at, 16, 'hex');
    out.at += 16;
    putNumber(out, r.lane);
    putNumber(out, r.at);
    putNumber(out, r.expiresAt);
  }
}

function putOutcomes(out: Writer, count: number, outcomes: Iterable<LatestOutcome>): void {
  putNumber(out, count);
  for (const o of outcomes) {
    putText(out, o.key);
    putNumber(out, o.lane);
    putNumber(out, o.at);
  }
}

const finish = (out: Writer): Buffer => Buffer.from(out.bytes.subarray(0, out.at));

/** The state in one piece, with these reservations. */
export function encodeWhole(state: CustomerState, reservations: CustomerState['reservations']): Buffer {
  const out = writer;
  out.at = 0;
  putNumber(out, wholeFormat);
  putLanes(out, state, 0, true);
  putNumber(out, state.keptFrom);
  putNumber(out, state.log.length);
  let previous = 0;
  for (const entry of state.log) {
    putNumber(out, entry.lane);
    putNumber(out, entry.at - previous);
    previous = entry.at;
  }
  putReservations(out, reservations);
  putOutcomes(out, state.outcomes.length, state.outcomes);
  return finish(out);
}

/** `grown`: length that a new base would absorb. */
function encodeTail(state: CustomerState, since: SinceBase): { readonly tail: Buffer; readonly grown: number } {
  const out = writer;
  out.at = 0;
  putNumber(out, tailFormat);
  putNumber(out, since.baseBytes);
  putNumber(out, since.firstLane);
  putNumber(out, state.keptFrom);
  putLanes(out, state, since.firstLane, false);
  putNumber(out, since.contacts.length);
  let previous = 0;
  for (const entry of since.contacts) {
    putNumber(out, entry.lane);
    putSigned(out, entry.at - previous);
    previous = entry.at;
  }
  putOutcomes(out, since.outcomes.size, since.outcomes);
  const grown = out.at;
  putReservations(out, state.reservations);
  return { tail: finish(out), grown };
}

/** Encodes a state for its row. */
export function encodeState(state: CustomerState): StoredState {
  if (state.since !== null) {
    const { tail, grown } = encodeTail(state, state.since);
    if (grown <= longestTail) return { state: tail, base: undefined };
  }
  const whole = encodeWhole(state, state.reservations);
  if (whole.length <= longestWhole) return { state: whole, base: null };
  const base = state.reservations.length === 0 ? whole : encodeWhole(state, []);
  const since = { baseBytes: base.length, firstLane: state.lanes.length, contacts: [], outcomes: new Set<never>() };
  return { state: encodeTail(state, since).tail, base };
}

const cutShort = 'customer state is truncated';

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

function number(from: Reader): number {
  const { bytes } = from;
  let { at } = from;
  // Past the end there is `undefined`, which is neither below 128 nor more: it ends in the last line.
  let byte = bytes[at++]!;
  let low = byte & 127;
  for (let shift = 7; byte >= 128 && shift < 28; shift += 7) {
    byte = bytes[at++]!;
    low |= (byte & 127) << shift;
  }
  let value = low;
  for (let scale = fourBytes; byte >= 128; scale *= 128) {
    byte = bytes[at++]!;
    value += (byte & 127) * scale;
  }
  if (at > bytes.length) throw new Error(cutShort);
  from.at = at;
  return value;
}

function signed(from: Reader): number {
  const value = number(from);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function readLanes(from: Reader, state: CustomerState, counted: boolean): void {
  const ids: (string | null)[] = [null];
  const count = number(from);
  if (from.at + 16 * count > from.bytes.length) throw new Error(cutShort);
  for (let n = 0; n < count; n++, from.at += 16) ids.push(idAt(from.bytes, from.at));
  for (let n = number(from); n > 0; n--) {
    const offerId = ids[number(from)];
    const creativeId = ids[number(from)];
    const channelId = ids[number(from)];
    const campaignId = ids[number(from)];
    if (
      typeof offerId !== 'string' ||
      creativeId === undefined ||
      channelId === undefined ||
      campaignId === undefined
    ) {
      throw new Error("customer state refers to an id that it doesn't have");
    }
    state.lanes.push({ offerId, creativeId, channelId, campaignId });
    state.totals.push(counted ? number(from) : 0);
    state.lastAt.push(counted ? number(from) : 0);
  }
}

function readReservations(from: Reader, state: CustomerState): void {
  for (let n = number(from); n > 0; n--) {
    if (from.at + 16 > from.bytes.length) throw new Error(cutShort);
    const id = textOfId(from.bytes, from.at);
    from.at += 16;
    state.reservations.push({ id, lane: number(from), at: number(from), expiresAt: number(from) });
  }
}

function readOutcome(from: Reader): LatestOutcome {
  const length = number(from);
  if (from.at + length > from.bytes.length) throw new Error(cutShort);
  const key = from.bytes.toString('utf8', from.at, from.at + length);
  from.at += length;
  return { key, lane: number(from), at: number(from) };
}

/** `logFrom`: log entries before it are not wanted. */
function readWhole(from: Reader, logFrom: number): CustomerState {
  const state = emptyState();
  if (number(from) !== wholeFormat) throw new Error('customer state has an unknown format');
  readLanes(from, state, true);
  state.keptFrom = number(from);
  let at = 0;
  for (let n = number(from); n > 0; n--) {
    const lane = number(from);
    at += number(from);
    if (at >= logFrom) state.log.push({ lane, at });
  }
  readReservations(from, state);
  for (let n = number(from); n > 0; n--) state.outcomes.push(readOutcome(from));
  return state;
}

/** Decodes a state row. Throws on an unknown format: an unreadable state must not look like an empty one. */
export function decodeState(bytes: Buffer, base: Buffer | null): CustomerState {
  if (bytes.length === 0 && base === null) return emptyState();
  const from: Reader = { bytes, at: 0 };
  if (base === null) return readWhole(from, 0);
  if (number(from) !== tailFormat) throw new Error('customer state does not continue from its base');
  const [baseBytes, firstLane, keptFrom] = [number(from), number(from), number(from)];
  const state = readWhole({ bytes: base, at: 0 }, keptFrom);
  if (baseBytes !== base.length || firstLane !== state.lanes.length) {
    throw new Error('customer state delta does not match the stored base');
  }
  state.keptFrom = keptFrom;
  readLanes(from, state, false);
  state.since = { baseBytes, firstLane, contacts: [], outcomes: new Set() };
  let at = 0;
  for (let n = number(from); n > 0; n--) {
    const lane = number(from);
    at += signed(from);
    addContact(state, lane, at);
  }
  for (let n = number(from); n > 0; n--) {
    const { key, lane, at: latest } = readOutcome(from);
    addOutcome(state, key, lane, latest);
  }
  readReservations(from, state);
  return state;
}
