import type { Json, JsonObject } from '../plan/snapshot.ts';

/** An item of a recorded answer. */
export interface LoggedItem {
  readonly offerId: string;
  readonly creativeId: string | null;
  /** Absent if the item was removed after it was drawn: the record doesn't have it then. */
  readonly placementId?: string | null;
  readonly mandatory: boolean;
  /** Position in the answer, from 1; null if the item was removed. */
  readonly rank: number | null;
  /** Chance of the item given those before it, as recorded. */
  readonly probability: number;
  readonly estimated: boolean;
  /** Repetitions behind an estimate. */
  readonly draws?: number;
  /** Share of the creative among those the offer could show; null if the item was removed. */
  readonly creativeShare: number | null;
}

/** A recorded answer in the order in which its places were filled: mandatory offers first. */
export interface LoggedSlate {
  readonly items: readonly LoggedItem[];
  /** Whether the items include those that coupling, a hook or a quota removed later. */
  readonly hasDraws: boolean;
}

/** Reads the slate from a decision's recorded result, as `unpackResult` or `resultOf` returns it. */
export function loggedSlate(result: Readonly<Record<string, Json>>): LoggedSlate {
  const shares = array(object(result.assignment).creative);
  const items = array(result.items).map((value, at): LoggedItem => {
    const item = object(value);
    const selection = object(item.selection);
    return {
      offerId: String(item.offerId),
      creativeId: textOrNull(item.creativeId),
      placementId: textOrNull(item.placementId),
      mandatory: item.mandatory === true,
      rank: at + 1,
      ...chanceOf(selection),
      creativeShare: typeof shares[at] === 'number' ? shares[at] : 1,
    };
  });
  const mandatory = items.filter((item) => item.mandatory);
  const others = items.filter((item) => !item.mandatory);
  if (result.draws === undefined || result.draws === null) return { items: [...mandatory, ...others], hasDraws: false };
  const undrawn = new Set(others);
  const draws = array(result.draws).map((value): LoggedItem => {
    const draw = object(value);
    const offerId = String(draw.offerId);
    const creativeId = textOrNull(draw.creativeId);
    for (const item of undrawn) {
      if (item.offerId !== offerId || item.creativeId !== creativeId) continue;
      undrawn.delete(item);
      return { ...item, ...chanceOf(draw) };
    }
    return { offerId, creativeId, mandatory: false, rank: null, ...chanceOf(draw), creativeShare: null };
  });
  return { items: [...mandatory, ...draws], hasDraws: true };
}

function chanceOf({
  probability,
  estimated,
  draws,
}: JsonObject): Pick<LoggedItem, 'probability' | 'estimated' | 'draws'> {
  return {
    probability: Number(probability),
    estimated: estimated === true,
    ...(typeof draws === 'number' ? { draws } : {}),
  };
}

const array = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const object = (value: Json | undefined): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {};
const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
