import type { RecommendAnswer } from '@arbiter/contract';
import { type DecideOptions, type Decision, type DecisionInput, decide } from '@arbiter/engine';
import { nobody } from '../../../catalogue/segments/index.ts';
import type { BatchCustomer } from '../../customer-states/index.ts';
import { assertNewest, type LiveFlow, type TenantCatalogue, versionBehind } from '../../plans/index.ts';
import { seedOf } from '../../sealed-records/index.ts';
import { decisionInput } from '../reads/decision-input.ts';
import type { Profile } from '../reads/profile-reads.ts';
import { type BatchRead, type ReadPorts, readBatch } from '../reads/read-batch.ts';
import { createStageWatch, type StageClock } from '../traces/stage-clock.ts';
import { type HeldVolumes, MissingVolumes } from '../volumes/volumes-in-batch.ts';
import type { WebhookCaller } from '../webhooks/webhooks.ts';
import { shapeAnswer } from './answer.ts';
import type { DecidePorts } from './decide-ports.ts';
import { requestFor } from './prepare-batch.ts';
import type { RecommendCall } from './recommend.rules.ts';

// Decisions that are only shown: simulate, the tools of customers, why-not. They read what a decision reads and
// run the engine that decides, on connections of their own, and store, count and reserve nothing.

/** A question for a preview. Its request must be a dry run. */
export interface TrialQuestion {
  readonly call: RecommendCall;
  /** The flow to run. Default: the one that the call names, or the one that its request resolves to. */
  readonly flow?: (catalogue: TenantCatalogue) => LiveFlow | Promise<LiveFlow>;
  /** Word from which all chance follows; left out: the requestId. 32 hex digits are the seed itself, as records show it. */
  readonly seed?: string;
  /** Changes what was read before anything is decided or asked. Must keep the seed. */
  readonly alter?: (flow: LiveFlow, input: DecisionInput) => DecisionInput;
}

/** A question with everything that decides it. */
export interface Trial {
  readonly catalogue: TenantCatalogue;
  readonly flow: LiveFlow;
  readonly call: RecommendCall;
  /** For `decide`, with `flow.plan`. */
  readonly input: DecisionInput;
  readonly profile: Profile;
  /** Segments that the record of such a decision would keep. */
  readonly segments: readonly string[];
  /** Null for a customer without contacts, outcomes and suppressions. */
  readonly customer: Pick<BatchCustomer, 'row' | 'state'> | null;
  readonly read: Pick<BatchRead, 'configAgeMs' | 'evidenceAgeMs' | 'quota'>;
  /** Monotonic ms of the question. */
  readonly startedAt: number;
}

export interface Trials {
  /**
   * Reads what a tenant's questions need, all for one instant: `at` (epoch ms), null: now. Throws AppError 404 and 409
   * for a flow that can't run, 400 for a target that isn't a record of the tenant, and 503 when it isn't done by `until`
   * (monotonic ms).
   */
  read(tenantId: string, questions: readonly TrialQuestion[], at: number | null, until: number): Promise<Trial[]>;
  /** The same with a catalogue that the caller holds, however old it has become: for many questions one after the other. */
  readWith(
    catalogue: TenantCatalogue,
    questions: readonly TrialQuestion[],
    at: number | null,
    until: number,
  ): Promise<Trial[]>;
  /** The newest catalogue of the tenant, which has a flow that can run. */
  catalogueOf(tenantId: string): Promise<TenantCatalogue>;
}

/** A decision for show, with the trace and with the time that its stages took. */
export interface TriedDecision {
  readonly decision: Decision;
  readonly stages: StageClock | null;
}

export type TrialPorts = ReadPorts & Pick<DecidePorts, 'hot' | 'catalogues' | 'makeVolumes'>;

/** Webhooks asked at once for questions that are read together. */
const askedAtOnce = 20;

const nothingHeld: HeldVolumes = new Set();

export function createTrials(ports: TrialPorts, asker: WebhookCaller): Trials {
  async function catalogueOf(tenantId: string): Promise<TenantCatalogue> {
    const catalogue = await ports.catalogues.get(tenantId);
    return catalogue.hasFlow() ? catalogue : ports.catalogues.makeBaseFlow(tenantId);
  }

  async function readOnce(
    catalogue: TenantCatalogue,
    questions: readonly TrialQuestion[],
    at: number | null,
    until: number,
    isFresh: boolean,
  ): Promise<Trial[]> {
    return askWebhooks(asker, await readTrials(ports, catalogue, questions, { at, until, isFresh }), until);
  }

  return {
    async read(tenantId, questions, at, until) {
      let catalogue = await catalogueOf(tenantId);
      for (let tries = 0; ; tries++) {
        try {
          return await readOnce(catalogue, questions, at, until, tries > 0);
        } catch (error) {
          if (tries >= maxTries) throw error;
          catalogue = await ports.catalogues.refresh(tenantId, await versionBehind(ports.hot, catalogue, error));
        }
      }
    },
    readWith: (catalogue, questions, at, until) => readOnce(catalogue, questions, at, until, true),
    catalogueOf,
  };
}

interface TrialReading {
  readonly at: number | null;
  readonly until: number;
  readonly isFresh: boolean;
}

async function readTrials(
  ports: TrialPorts,
  catalogue: TenantCatalogue,
  questions: readonly TrialQuestion[],
  { at, until, isFresh }: TrialReading,
): Promise<Trial[]> {
  const startedAt = performance.now();
  const prepared = await prepareQuestions(ports, catalogue, questions, isFresh);
  const named = at === null ? {} : { at };
  const readAll = () =>
    ports.hot.run(
      catalogue.tenantId,
      (tx) => readBatch(ports, catalogue, tx, prepared, { wait: false, isFresh, hold: nothingHeld, ...named }),
      until - performance.now(),
    );
  const read = await readAll().catch(async (error: unknown) => {
    if (!(error instanceof MissingVolumes)) throw error;
    await ports.makeVolumes(catalogue, error.refs);
    return readAll();
  });
  return questions.map(({ call, seed, alter }, place): Trial => {
    const { flow, request } = prepared[place]!;
    const customer = read.customers.get(request.customerId) ?? null;
    const stored = decisionInput(ports, catalogue, read, place, { flow, request }, customer);
    const own = alter === undefined ? stored : alter(flow, stored);
    return {
      catalogue,
      flow,
      call,
      input: seed === undefined ? own : { ...own, seed: seedFrom(catalogue.tenantId, seed) },
      profile: read.profiles[place]!,
      segments: (read.memberships[place] ?? nobody).kept,
      customer,
      read,
      startedAt,
    };
  });
}

/** Finds the flow of each question. Throws AppError 404 and 409 for one that can't run. */
async function prepareQuestions(
  ports: TrialPorts,
  catalogue: TenantCatalogue,
  questions: readonly TrialQuestion[],
  isFresh: boolean,
): Promise<readonly { readonly flow: LiveFlow; readonly request: DecisionInput['request'] }[]> {
  const prepared: { readonly flow: LiveFlow; readonly request: DecisionInput['request'] }[] = [];
  try {
    for (const { call, flow: choose } of questions) {
      const flow = await (choose === undefined ? catalogue.flowFor(call.flow, call.request) : choose(catalogue));
      prepared.push({ flow, request: requestFor(catalogue, flow, call.request) });
    }
  } catch (refusal) {
    // An old catalogue may be the only reason for a rejection: what it names was just created on another node.
    if (!isFresh) await assertNewest(ports.hot, catalogue);
    throw refusal;
  }
  return prepared;
}

/** Adds the answers of webhooks, which are asked once per question (docs/design/api-settled.md 71). */
async function askWebhooks(asker: WebhookCaller, trials: readonly Trial[], until: number): Promise<Trial[]> {
  const answered: Trial[] = [];
  for (let start = 0; start < trials.length; start += askedAtOnce) {
    const some = trials.slice(start, start + askedAtOnce);
    answered.push(...(await Promise.all(some.map((trial) => withAnswers(asker, trial, until)))));
  }
  return answered;
}

async function withAnswers(asker: WebhookCaller, trial: Trial, until: number): Promise<Trial> {
  const { catalogue, flow, input } = trial;
  const { plan } = flow;
  if (plan.webhooks.length === 0) return trial;
  // The seed isn't the input's own property, so copy it explicitly.
  const { seed } = input;
  const { requestId, customerId } = input.request;
  const external = await asker.ask(
    { tenantId: catalogue.tenantId, plan, requestId, customerId, until },
    (answers, ask) => void decide(plan, { ...input, seed, external: answers }, { ask }),
  );
  return { ...trial, input: { ...input, seed, external } };
}

/** Catalogues that are tried one after the other while they change. */
const maxTries = 5;

const seedForm = /^[0-9a-f]{32}$/;

/**
 * Returns the seed for a word: the word itself if it has a seed's form, otherwise one derived from it, like from a
 * requestId.
 */
export const seedFrom = (tenantId: string, word: string): string =>
  seedForm.test(word) ? word : seedOf(tenantId, word);

const watch = createStageWatch(() => undefined);

/** Makes the decision of a trial, with its trace. Pure but for the clock of the stages. */
export function decideTrial(
  { flow, input }: { readonly flow: Pick<LiveFlow, 'plan'>; readonly input: DecisionInput },
  options: Omit<DecideOptions, 'trace' | 'observe'> = {},
): TriedDecision {
  const stages = watch.begin(true);
  const decision = decide(flow.plan, input, {
    ...options,
    trace: true,
    ...(stages === null ? {} : { observe: stages.observe }),
  });
  return { decision, stages };
}

/** Returns the answer that recommend would give in a dry run. */
export function answerOfTrial(trial: Trial, { decision, stages }: TriedDecision): RecommendAnswer {
  const { call, input, profile, catalogue, read } = trial;
  return shapeAnswer(trial.flow.plan, decision, {
    requestId: call.request.requestId,
    recommendationId: null,
    interactionIds: null,
    customerId: call.request.customerId,
    anonymous: call.anonymous,
    known: profile.known,
    asked: call.request,
    now: input.now,
    configVersion: catalogue.version,
    configAgeMs: read.configAgeMs,
    evidenceAgeMs: read.evidenceAgeMs,
    profileAgeMs: 0,
    durationMs: Math.max(0, Math.round(performance.now() - trial.startedAt)),
    traceId: null,
    stages,
    reservationExpiresAt: () => new Date(input.now).toISOString(),
    dryRun: true,
    debug: call.debug,
    schemaWarnings: [],
    quota: read.quota?.facts(0, false) ?? null,
  });
}
