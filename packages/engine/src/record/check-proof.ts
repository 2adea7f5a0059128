import { compile } from '../compile/compile.ts';
import { decide } from '../decide.ts';
import type { DecisionInput, Evidence } from '../plan/input.ts';
import type { Plan } from '../plan/plan.ts';
import type { Json, Snapshot } from '../plan/snapshot.ts';
import { type Difference, diffResults } from '../replay.ts';
import { engineVersion, semantics } from '../version.ts';
import { type CountsRow, countsView } from './counts-view.ts';
import { type PackedInput, recordedInput } from './packed-input.ts';
import { hashedText, itemTexts, readResultText, resultText, unpackResult } from './packed-result.ts';
import { joinPieces, type PieceLists, type PlanHead } from './plan-content.ts';
import { planRefs } from './plan-refs.ts';

type Pair = readonly [positives: number, negatives: number];

/** The content of a proof file: a decision and everything its replay reads (docs/adr/0104). Hashes are SHA-256 in hex. */
export interface Proof {
  readonly format: 1;
  readonly decision: {
    readonly recommendationId: string;
    readonly requestId: string;
    readonly customerId: string | null;
    /** ISO 8601, UTC. */
    readonly decidedAt: string;
    readonly flow: { readonly key: string; readonly version: number | null };
    readonly engineVersion: string;
  };
  readonly planHash: string;
  readonly inputsHash: string;
  readonly resultHash: string;
  /** Texts of the plan's content. The head names the hashes of the pieces, in order. */
  readonly plan: { readonly head: string; readonly pieces: readonly string[] };
  /** Text of `PackedInput`. */
  readonly inputs: string;
  /** Text of `PackedResult`. */
  readonly result: string;
  readonly seed: string;
  readonly evidence: {
    readonly global: Pair;
    readonly offers: readonly (readonly [id: string, positives: number, negatives: number])[];
    readonly categories: readonly (readonly [id: string, positives: number, negatives: number])[];
  };
  /** Null when the decision used none. */
  readonly objectiveCounts: {
    readonly number: number;
    readonly offers: readonly (readonly [id: string, counts: CountsRow])[];
  } | null;
  /** Canonical texts by hash. */
  readonly modelStates: Readonly<Record<string, string>>;
  /** Names of fields that are never stored. */
  readonly withheld: readonly string[];
}

/** A recorded offer, with names from the plan. */
export interface ProvenItem {
  readonly rank: number;
  readonly offer: string;
  readonly creative: string | null;
  readonly channel: string | null;
  readonly placement: string | null;
  readonly score: number;
  /** Selection probability, 0 to 1. */
  readonly probability: number;
}

export interface ProofCheck {
  /** `withheld`: the content matches its hashes, but the decision can't be repeated without the withheld fields. */
  readonly verdict: 'identical' | 'different' | 'withheld';
  /** `computed` is null for what wasn't computed. */
  readonly hashes: readonly {
    readonly what: 'plan' | 'inputs' | 'result' | 'model';
    readonly recorded: string;
    readonly computed: string | null;
  }[];
  /** Where the replayed result differs. Empty without a replay. */
  readonly differences: readonly Difference[];
  readonly items: readonly ProvenItem[];
  /** Why the content can't be read; null if it can. */
  readonly failure: string | null;
}

/** Returns the SHA-256 of a text in UTF-8, in hex. */
type Sha256 = (text: string) => Promise<string>;

/** Checks the hashes of a proof, replays the decision and compares the results. Doesn't throw on changed content. */
export async function readProof(proof: Proof, sha256: Sha256): Promise<ProofCheck> {
  const hashes: ProofCheck['hashes'][number][] = [];
  try {
    hashes.push(...(await contentHashes(proof, sha256)));
    return await repeat(proof, hashes, sha256);
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { verdict: 'different', hashes, differences: [], items: [], failure };
  }
}

async function contentHashes(proof: Proof, sha256: Sha256): Promise<ProofCheck['hashes'][number][]> {
  const { plan, inputs, planHash, inputsHash, modelStates } = proof;
  const head = await sha256(plan.head);
  const names = (JSON.parse(plan.head) as StoredHead).pieces;
  const pieces = await Promise.all(plan.pieces.map(sha256));
  const isWhole = names.length === pieces.length && pieces.every((hash, at) => hash === names[at]);
  const named = Object.values((JSON.parse(inputs) as PackedInput).m ?? {});
  const models = [...new Set(named)].map(async (recorded) => ({
    what: 'model' as const,
    recorded,
    computed: Object.hasOwn(modelStates, recorded) ? await sha256(modelStates[recorded]!) : null,
  }));
  return [
    // The head contains the hashes of the pieces, so its own hash covers them.
    { what: 'plan', recorded: planHash, computed: isWhole ? head : await sha256([head, ...pieces].join()) },
    { what: 'inputs', recorded: inputsHash, computed: await sha256(inputs) },
    ...(await Promise.all(models)),
  ];
}

type StoredHead = PlanHead & { readonly pieces: readonly string[] };

/** A proof ready to decide again. */
interface OpenProof {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly refs: ReturnType<typeof planRefs>;
  /** Null if withheld fields are missing. */
  readonly input: DecisionInput | null;
}

/** Compiles the plan of a proof and unpacks its inputs, without checking hashes. Throws for a plan of a newer engine. */
export function openProof(proof: Proof): OpenProof {
  const { pieces: _names, ...head } = JSON.parse(proof.plan.head) as StoredHead;
  if (head.semantics > semantics) throw new Error(`The plan needs a newer engine than ${engineVersion}.`);
  const snapshot = joinPieces(
    head,
    proof.plan.pieces.map((text): PieceLists => JSON.parse(text)),
  );
  const plan = compile(snapshot);
  const refs = planRefs(snapshot, plan.ordinals);
  const packed = JSON.parse(proof.inputs) as PackedInput;
  const input = packed.w === undefined ? inputOf(proof, packed, plan, refs) : null;
  return { plan, snapshot, refs, input };
}

async function repeat(proof: Proof, hashes: ProofCheck['hashes'], sha256: Sha256): Promise<ProofCheck> {
  const { plan, snapshot, refs, input } = openProof(proof);
  const recorded = unpackResult(readResultText(proof.result), refs);
  const items = itemsOf(recorded, snapshot);
  const isIntact = hashes.every(({ recorded, computed }) => recorded === computed);
  if (input === null) {
    const result = { what: 'result', recorded: proof.resultHash, computed: null } as const;
    const verdict = isIntact ? 'withheld' : 'different';
    return { verdict, hashes: [...hashes, result], differences: [], items, failure: null };
  }
  const decision = decide(plan, input, { trace: false });
  const text = resultText(decision, refs);
  const computed = await sha256(hashedText(text, itemTexts(decision)));
  const differences = differencesOf(proof.result, text, recorded, unpackResult(readResultText(text), refs));
  const isSame = isIntact && computed === proof.resultHash && differences.length === 0;
  return {
    verdict: isSame ? 'identical' : 'different',
    hashes: [...hashes, { what: 'result', recorded: proof.resultHash, computed }],
    differences,
    items,
    failure: null,
  };
}

function inputOf(proof: Proof, packed: PackedInput, plan: Plan, refs: ReturnType<typeof planRefs>) {
  const { seed, objectiveCounts, modelStates } = proof;
  return recordedInput(plan, packed, {
    requestId: proof.decision.requestId,
    seed,
    evidence: evidenceOf(proof.evidence, packed.v),
    modelStates: new Map(Object.entries(modelStates).map(([hash, text]) => [hash, JSON.parse(text) as Json])),
    objectiveCounts: objectiveCounts === null ? null : countsView(objectiveCounts),
    refs,
  });
}

function evidenceOf({ global, offers, categories }: Proof['evidence'], number: number): Evidence {
  const none: Pair = [0, 0];
  const pairs = (rows: Proof['evidence']['offers']) => new Map(rows.map(([id, p, n]) => [id, [p, n] as const]));
  const byOffer = pairs(offers);
  const byCategory = pairs(categories);
  return {
    number,
    global,
    offer: (id) => byOffer.get(id) ?? none,
    category: (id) => byCategory.get(id) ?? none,
  };
}

/** Returns one difference at the root when only the packed texts differ. */
function differencesOf(recordedText: string, text: string, recorded: Json, replayed: Json): readonly Difference[] {
  const differences = diffResults(recorded, replayed);
  const isSame = JSON.stringify(JSON.parse(recordedText)) === JSON.stringify(JSON.parse(text));
  return isSame || differences.length > 0 ? differences : [{ path: '', recorded: recordedText, replayed: text }];
}

function itemsOf(result: Readonly<Record<string, Json>>, snapshot: Snapshot): ProvenItem[] {
  const names = new Map(
    [snapshot.offers, snapshot.creatives, snapshot.channels, snapshot.placements].flatMap((rows) =>
      rows.map((row: { readonly id: string; readonly name?: unknown }) => [
        row.id,
        typeof row.name === 'string' ? row.name : row.id,
      ]),
    ),
  );
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? id));
  const items = result.items as unknown as readonly RecordedItem[];
  return items.map(({ rank, offerId, creativeId, channelId, placementId, score, selection }) => ({
    rank,
    offer: nameOf(offerId) ?? '',
    creative: nameOf(creativeId),
    channel: nameOf(channelId),
    placement: nameOf(placementId),
    score,
    probability: selection.probability,
  }));
}

interface RecordedItem {
  readonly rank: number;
  readonly offerId: string | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly score: number;
  readonly selection: { readonly probability: number };
}
