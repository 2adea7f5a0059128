import type { ContactLane } from '@arbiter/engine';

/**
 * The wide state of one customer: what caps, cooldowns and outcome policies need, kept in one row that is also the
 * customer's lock (decisioning.md 4, 6). Mutable: a batch decides a customer's second request on what the first left.
 */
export interface CustomerState {
  lanes: ContactLane[];
  /** Per lane: counted contacts ever, and instant (epoch ms) of the latest. */
  totals: number[];
  lastAt: number[];
  /** Counted contacts since `keptFrom`, oldest first. */
  log: { lane: number; at: number }[];
  /** Epoch ms since which `log` is whole; older contacts stand in `totals` only. */
  keptFrom: number;
  /** Open reservations of explicit channels; `id` is the interaction id. Expiry is judged on read. */
  reservations: { id: string; lane: number; at: number; expiresAt: number }[];
  /** Latest instant of each outcome per lane. */
  outcomes: { key: string; lane: number; at: number }[];
}

const formatVersion = 1;

/** A customer without history: the log is whole since ever. */
export function emptyState(): CustomerState {
  return { lanes: [], totals: [], lastAt: [], log: [], keptFrom: 0, reservations: [], outcomes: [] };
}

/** Index of the lane, added when missing. */
export function laneOf(state: CustomerState, lane: ContactLane): number {
  const { lanes } = state;
  for (let i = 0; i < lanes.length; i++) {
    const l = lanes[i]!;
    if (
      l.offerId === lane.offerId &&
      l.creativeId === lane.creativeId &&
      l.channelId === lane.channelId &&
      l.campaignId === lane.campaignId
    ) {
      return i;
    }
  }
  lanes.push(lane);
  state.totals.push(0);
  state.lastAt.push(0);
  return lanes.length - 1;
}

/** Counts one contact at `at` (epoch ms); a late one is put in its place, so that the log stays sorted. */
export function addContact(state: CustomerState, lane: number, at: number): void {
  state.totals[lane] = state.totals[lane]! + 1;
  if (at > state.lastAt[lane]!) state.lastAt[lane] = at;
  if (at < state.keptFrom) return;
  const { log } = state;
  let i = log.length;
  while (i > 0 && log[i - 1]!.at > at) i--;
  if (i === log.length) log.push({ lane, at });
  else log.splice(i, 0, { lane, at });
}

/** Notes an outcome's latest instant. */
export function addOutcome(state: CustomerState, key: string, lane: number, at: number): void {
  const known = state.outcomes.find((o) => o.key === key && o.lane === lane);
  if (!known) state.outcomes.push({ key, lane, at });
  else if (at > known.at) known.at = at;
}

/** Drops the log before `from` and reservations that expired at `now`: what no window in force needs. */
export function prune(state: CustomerState, from: number, now: number): void {
  if (state.log.length > 0 && state.log[0]!.at < from) {
    let i = 0;
    while (i < state.log.length && state.log[i]!.at < from) i++;
    state.log.splice(0, i);
    state.keptFrom = from;
  }
  if (state.reservations.length > 0) state.reservations = state.reservations.filter((r) => r.expiresAt > now);
}

// ---------------------------------------------------------------- codec
// Binary, because the row is read and written by every decision: a JSON form is three to four times as long and as slow
// (docs/adr, row design of the hot path). Layout: format byte, UUID dictionary, lanes, log (delta-coded instants),
// reservations, outcomes. Numbers are LEB128 varints over 2^53.

let scratch = Buffer.allocUnsafe(4096);

class Writer {
  at = 0;
  private room(bytes: number): void {
    if (this.at + bytes <= scratch.length) return;
    const grown = Buffer.allocUnsafe(Math.max(scratch.length * 2, this.at + bytes));
    scratch.copy(grown, 0, 0, this.at);
    scratch = grown;
  }
  number(value: number): void {
    this.room(8);
    let rest = value;
    while (rest >= 128) {
      scratch[this.at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    scratch[this.at++] = rest;
  }
  uuid(value: string): void {
    this.room(16);
    this.at += scratch.write(value.replaceAll('-', ''), this.at, 16, 'hex');
  }
  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.number(bytes);
    this.room(bytes);
    this.at += scratch.write(value, this.at, bytes, 'utf8');
  }
  done(): Buffer {
    return Buffer.from(scratch.subarray(0, this.at));
  }
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
  const w = new Writer();
  w.number(formatVersion);
  w.number(ids.size);
  for (const id of ids.keys()) w.uuid(id);
  w.number(refs.length);
  for (let i = 0; i < refs.length; i++) {
    for (const n of refs[i]!) w.number(n);
    w.number(state.totals[i]!);
    w.number(state.lastAt[i]!);
  }
  w.number(state.keptFrom);
  w.number(state.log.length);
  let previous = 0;
  for (const entry of state.log) {
    w.number(entry.lane);
    w.number(entry.at - previous);
    previous = entry.at;
  }
  w.number(state.reservations.length);
  for (const r of state.reservations) {
    w.uuid(r.id);
    w.number(r.lane);
    w.number(r.at);
    w.number(r.expiresAt);
  }
  w.number(state.outcomes.length);
  for (const o of state.outcomes) {
    w.text(o.key);
    w.number(o.lane);
    w.number(o.at);
  }
  return w.done();
}

/** Decodes a state row. Throws on a format it does not know: a state that cannot be read must not look like none. */
export function decodeState(bytes: Buffer): CustomerState {
  if (bytes.length === 0) return emptyState();
  let at = 0;
  const number = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (at >= bytes.length) throw new Error('customer state is cut short');
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  const uuid = (): string => {
    if (at + 16 > bytes.length) throw new Error('customer state is cut short');
    const hex = bytes.toString('hex', at, at + 16);
    at += 16;
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
    const key = bytes.toString('utf8', at, at + length);
    at += length;
    state.outcomes.push({ key, lane: number(), at: number() });
  }
  return state;
}
