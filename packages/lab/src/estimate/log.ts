import { ln } from '@arbiter/engine';

/**
 * The part of recorded decisions that an estimate needs, as columns: one row per decision, one per place, and one per choice that
 * the candidate has at a place. A place is an item of the answer, or the first that the candidate would add or put elsewhere.
 */
export interface EvaluationLog {
  /** By decision: the customer, numbered from 0 in order of appearance. */
  readonly customer: Int32Array;
  readonly customers: number;
  /** By customer: the fold that its rewards are predicted in, 0 to 4. */
  readonly fold: Uint8Array;
  /** By decision: the segments that results are split by, one bit each. */
  readonly segments: Uint16Array;
  /** Places of decision i: `firstPlace[i]` to before `firstPlace[i + 1]`. */
  readonly firstPlace: Int32Array;
  /** By place: its position in the answer, from 0. */
  readonly slot: Uint8Array;
  /** By place: chance of the item under the candidate by its chance in the log, creative's shares included; 0 past the answer. */
  readonly ratio: Float64Array;
  readonly reward: Float64Array;
  /** By place: 1 for an item of the answer, 0 for what only the candidate would show. */
  readonly isLogged: Uint8Array;
  /** By place: the logged item's offer and channel; -1: none. */
  readonly offer: Int32Array;
  readonly channel: Int32Array;
  /** By place: the engine's expectation for the logged item, on the logit scale. */
  readonly expectation: Float64Array;
  /** By place: chance that the candidate shows anything there, 0 or 1. */
  readonly filled: Float64Array;
  /** By place: the part of that on items that the log could show as well; NaN if not checked. */
  readonly supported: Float64Array;
  /** Choices of place j: `firstChoice[j]` to before `firstChoice[j + 1]`. */
  readonly firstChoice: Int32Array;
  readonly choiceOffer: Int32Array;
  readonly choiceChannel: Uint16Array;
  readonly choiceChance: Float64Array;
  readonly choiceExpectation: Float32Array;
  /** By choice: 1 where the log could show it as well, or it wasn't checked. */
  readonly choiceSupported: Uint8Array;
  /** Names of the offers and channels, by number. */
  readonly offers: readonly string[];
  readonly channels: readonly string[];
}

/** A place of a decision as it is added to a log. */
export interface PlaceRow {
  readonly ratio: number;
  readonly reward: number;
  /** The item of the answer; null past its end. */
  readonly item: { readonly offer: string; readonly channel: string; readonly propensity: number } | null;
  /** Part of the candidate's chances that the log supports; null if not checked. */
  readonly supported: number | null;
  readonly choices: readonly {
    readonly offer: string;
    readonly channel: string;
    readonly chance: number;
    readonly propensity: number;
    /** False: the log never shows it there. */
    readonly supported: boolean;
  }[];
}

export interface DecisionRow {
  readonly customer: string;
  readonly fold: number;
  readonly segments: number;
  readonly places: readonly PlaceRow[];
}

/** Collects rows into columns. */
export function collectLog(): { add(row: DecisionRow): void; build(): EvaluationLog } {
  const names = { customers: numbering(), offers: numbering(), channels: numbering() };
  const columns = openColumns();
  columns.firstPlace.push(0);
  columns.firstChoice.push(0);
  return {
    add({ customer, fold, segments, places }) {
      const number = names.customers.of(customer);
      if (number === columns.fold.size()) columns.fold.push(fold);
      columns.customer.push(number);
      columns.segments.push(segments);
      places.forEach((place, slot) => {
        addPlace(columns, names, place, slot);
      });
      columns.firstPlace.push(columns.slot.size());
    },
    build: () => ({
      customers: names.customers.names.length,
      offers: names.offers.names,
      channels: names.channels.names,
      ...valuesOf(columns),
    }),
  };
}

type Names = Readonly<Record<'offers' | 'channels', ReturnType<typeof numbering>>>;

function addPlace(
  columns: ReturnType<typeof openColumns>,
  { offers, channels }: Names,
  { ratio, reward, item, supported, choices }: PlaceRow,
  slot: number,
): void {
  columns.slot.push(slot);
  columns.ratio.push(ratio);
  columns.reward.push(reward);
  columns.isLogged.push(item === null ? 0 : 1);
  columns.offer.push(item === null ? -1 : offers.of(item.offer));
  columns.channel.push(item === null ? -1 : channels.of(item.channel));
  columns.expectation.push(item === null ? 0 : logit(item.propensity));
  columns.filled.push(choices.length > 0 ? 1 : 0);
  columns.supported.push(supported ?? Number.NaN);
  for (const choice of choices) {
    columns.choiceOffer.push(offers.of(choice.offer));
    columns.choiceChannel.push(channels.of(choice.channel));
    columns.choiceChance.push(choice.chance);
    columns.choiceExpectation.push(logit(choice.propensity));
    columns.choiceSupported.push(choice.supported ? 1 : 0);
  }
  columns.firstChoice.push(columns.choiceOffer.size());
}

const openColumns = () => ({
  customer: growing((size) => new Int32Array(size)),
  fold: growing((size) => new Uint8Array(size)),
  segments: growing((size) => new Uint16Array(size)),
  firstPlace: growing((size) => new Int32Array(size)),
  slot: growing((size) => new Uint8Array(size)),
  ratio: growing((size) => new Float64Array(size)),
  reward: growing((size) => new Float64Array(size)),
  isLogged: growing((size) => new Uint8Array(size)),
  offer: growing((size) => new Int32Array(size)),
  channel: growing((size) => new Int32Array(size)),
  expectation: growing((size) => new Float64Array(size)),
  filled: growing((size) => new Float64Array(size)),
  supported: growing((size) => new Float64Array(size)),
  firstChoice: growing((size) => new Int32Array(size)),
  choiceOffer: growing((size) => new Int32Array(size)),
  choiceChannel: growing((size) => new Uint16Array(size)),
  choiceChance: growing((size) => new Float64Array(size)),
  choiceExpectation: growing((size) => new Float32Array(size)),
  choiceSupported: growing((size) => new Uint8Array(size)),
});

function valuesOf(columns: ReturnType<typeof openColumns>) {
  return {
    customer: columns.customer.values(),
    fold: columns.fold.values(),
    segments: columns.segments.values(),
    firstPlace: columns.firstPlace.values(),
    slot: columns.slot.values(),
    ratio: columns.ratio.values(),
    reward: columns.reward.values(),
    isLogged: columns.isLogged.values(),
    offer: columns.offer.values(),
    channel: columns.channel.values(),
    expectation: columns.expectation.values(),
    filled: columns.filled.values(),
    supported: columns.supported.values(),
    firstChoice: columns.firstChoice.values(),
    choiceOffer: columns.choiceOffer.values(),
    choiceChannel: columns.choiceChannel.values(),
    choiceChance: columns.choiceChance.values(),
    choiceExpectation: columns.choiceExpectation.values(),
    choiceSupported: columns.choiceSupported.values(),
  };
}

interface Column {
  [at: number]: number;
  readonly length: number;
}

/** A typed array that doubles when it's full. */
function growing<T extends Column & { set(from: T): void; slice(from: number, to: number): T }>(
  create: (size: number) => T,
): { push(value: number): void; size(): number; values(): T } {
  let column = create(1024);
  let count = 0;
  return {
    push(value) {
      if (count === column.length) {
        const larger = create(count * 2);
        larger.set(column);
        column = larger;
      }
      column[count] = value;
      count += 1;
    },
    size: () => count,
    values: () => column.slice(0, count),
  };
}

function numbering(): { readonly names: string[]; of(name: string): number } {
  const numbers = new Map<string, number>();
  const names: string[] = [];
  return {
    names,
    of(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, names.length);
      names.push(name);
      return names.length - 1;
    },
  };
}

/**
 * Joins logs without common customers, in order. The result is the same as if one log had collected all rows.
 */
export function joinLogs(logs: readonly EvaluationLog[]): EvaluationLog {
  const offers = numbering();
  const channels = numbering();
  const columns = openColumns();
  columns.firstPlace.push(0);
  columns.firstChoice.push(0);
  let customers = 0;
  for (const log of logs) {
    const offer = log.offers.map((name) => offers.of(name));
    const channel = log.channels.map((name) => channels.of(name));
    const places = columns.slot.size();
    const choices = columns.choiceOffer.size();
    for (const name of copied) for (const value of log[name]) columns[name].push(value);
    for (const value of log.customer) columns.customer.push(customers + value);
    for (const value of log.firstPlace.subarray(1)) columns.firstPlace.push(places + value);
    for (const value of log.firstChoice.subarray(1)) columns.firstChoice.push(choices + value);
    for (const value of log.offer) columns.offer.push(value < 0 ? -1 : offer[value]!);
    for (const value of log.channel) columns.channel.push(value < 0 ? -1 : channel[value]!);
    for (const value of log.choiceOffer) columns.choiceOffer.push(offer[value]!);
    for (const value of log.choiceChannel) columns.choiceChannel.push(channel[value]!);
    customers += log.customers;
  }
  return { customers, offers: offers.names, channels: channels.names, ...valuesOf(columns) };
}

/** Columns that mean the same in every log. */
const copied = [
  'fold',
  'segments',
  'slot',
  'ratio',
  'reward',
  'isLogged',
  'expectation',
  'filled',
  'supported',
  'choiceChance',
  'choiceExpectation',
  'choiceSupported',
] as const;

const least = 1e-6;

function logit(propensity: number): number {
  const p = Math.min(1 - least, Math.max(least, propensity));
  return ln(p / (1 - p));
}
