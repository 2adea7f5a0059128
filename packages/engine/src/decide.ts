import { daysFromCivil } from './arithmetic/calendar.ts';
import { closeWalk } from './delivery/close-walk.ts';
import { couple } from './delivery/coupling.ts';
import { type Items, writeItems } from './delivery/items.ts';
import { knownTarget } from './delivery/known-targets.ts';
import { placementResults } from './delivery/placement-results.ts';
import { certainSlate, type Slate, slateOf } from './delivery/slate.ts';
import { topN } from './delivery/top-n.ts';
import { deliver, maxItems } from './delivery/walk.ts';
import { emptyScope } from './formula/scope.ts';
import { drawModels } from './models/model-scores.ts';
import type { Candidate } from './plan/candidate.ts';
import type { CouplingRow, Decision, DecisionSummary, ExperimentUse, ModelVariant } from './plan/decision.ts';
import type { FormulaScope, ZoneOffsets } from './plan/formula.ts';
import type { DecisionInput, ZoneClock } from './plan/input.ts';
import type { Plan } from './plan/plan.ts';
import type { Probe } from './plan/probe.ts';
import type { Program } from './plan/program.ts';
import type { RankMethod, Walked } from './plan/ranking.ts';
import type { AskExternal, Run } from './plan/run.ts';
import type { Json } from './plan/snapshot.ts';
import type { Target } from './plan/target.ts';
import { viewLanes } from './policies/lane-view.ts';
import { openVolumes } from './policies/volumes.ts';
import { u } from './random/hash.ts';
import { assignedModel, variantOf } from './scoring/champions.ts';
import { isHeldOut, useOf } from './scoring/experiments.ts';
import { optimizeStage } from './scoring/optimize-stage.ts';
import { keepsScores } from './scoring/rescorings.ts';
import { prepareComponents, scoreStage, scoresChange, traceScores } from './scoring/score-stage.ts';
import { scratchOf } from './scratch.ts';
import { countOffers } from './stages/close-stage.ts';
import { runSteps } from './stages/step.ts';
import { createTrace } from './trace.ts';
import { settleProbe } from './why-not/probe.ts';

export interface DecideOptions {
  /** True: the decision carries a trace; it decides the same without. */
  readonly trace?: boolean;
  /**
   * Called for each webhook without an answer in the input, with its question: a rehearsal. The node then has no
   * effect. Without `ask`, it counts as failed.
   */
  readonly ask?: AskExternal;
  /**
   * Called when a stage has finished, named as in the trace, so that the caller can read its clock (the engine has
   * none). A stage that works in several passes reports each. It sees nothing of the decision and changes nothing.
   */
  readonly observe?: StageObserver;
  /** A question about one offer; the trace then tells of that offer alone. */
  readonly probe?: Probe;
  /**
   * True: every gate checks every offer, even after a block. The trace is complete and lists each gate's
   * refusals once. Offers that none refused are scored as always, also by called flows and hooks, which may still
   * refuse some; nothing is delivered. Offers that must be shown leave as always. For requests that name at most one
   * placement.
   */
  readonly survey?: boolean;
}

export type StageObserver = (stage: string, nodeId: string | null) => void;

/**
 * Makes one decision (docs/design/decisioning.md 1, docs/design/api-decisioning.md 8 to 11). Pure and synchronous: the
 * same plan and input return the same bytes. Numbers in the answer are unrounded.
 */
export function decide(plan: Plan, input: DecisionInput, options: DecideOptions = {}): Decision {
  const run = beginRun(plan, input, options);
  if (run.target.emptyReason !== null) return finish(run, noItems, certainSlate, couple(run, []).rows);
  scoreRun(run);
  // Later stages don't drop offers. They choose among those left.
  if (options.survey === true) return finish(run, noItems, certainSlate, couple(run, []).rows);
  if (run.probe !== null) settleProbe(run, run.probe);
  const { draws, delivery, rows } = deliverRun(run);
  const written = writeItems(run, delivery);
  return finish(run, written, slateOf(draws, written.items), rows);
}

/** Runs the phases before the walk. */
export function scoreRun(run: Run): void {
  const { observe, program } = run;
  run.assigned = assignedModel(run, program.scoring);
  const { branching } = program;
  if (branching !== null) run.phases = branching.phasesFor(run);
  runSteps(run, run.phases.phase1);
  run.probe?.examination?.enter('score', program.scoring.nodeId);
  const { survey } = run;
  if (survey !== null) letRefusedLeave(run, survey);
  prepareComponents(run);
  if (run.modelRuns.length > 0) drawModels(run);
  if (keepsScores(run)) run.rescorings = [];
  scoreStage(run);
  if (observe !== null) observe('score', program.scoring.nodeId);
  if (scoresChange(run)) rescore(run);
}

/** Fills the answer: the walk, the hooks after it, and coupling. */
export function deliverRun(run: Run): Walked & { readonly rows: readonly CouplingRow[] } {
  const { observe, program } = run;
  let walked = deliver(run, rankMethodOf(run));
  closeWalk(run, walked.delivery);
  if (observe !== null) {
    observe('rank', program.rank.nodeId);
    if (program.group !== null && run.target.slots !== null) observe('group', program.group.nodeId);
  }
  for (const step of program.afterRank) {
    walked = step.run(run, walked);
    if (observe !== null) observe(step.type, step.nodeId);
  }
  const { draws } = walked;
  const { delivery, rows } = couple(run, walked.delivery);
  if (observe !== null) observe('coupling', null);
  return { draws, delivery, rows };
}

/** Not for the control group. */
function optimize(run: Run): void {
  const { optimize: optimizing } = run.program;
  if (optimizing === null || run.holdout) return;
  optimizeStage(run, optimizing);
  if (run.observe !== null) run.observe('optimize', optimizing.nodeId);
}

/** Stages between scoring and rank: called flows, hooks that change scores, and the flow's own objectives. */
function rescore(run: Run): void {
  runSteps(run, run.phases.toOptimize);
  optimize(run);
  runSteps(run, run.phases.toRank);
  run.prefix = '';
  if (run.trace !== null) traceScores(run);
  run.after.scoring = run.offerCount;
}

/** Starts a decision: nothing is gated, scored or drawn yet. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one object literal, so that all runs share one hidden class
export function beginRun(
  plan: Plan,
  input: DecisionInput,
  { trace = false, ask, observe, probe, survey = false }: DecideOptions,
): Run {
  const { program } = plan;
  const { request } = input;
  const clock = input.zones[plan.timezone];
  if (clock === undefined) throw new Error(`the input has no clock for the time zone ${plan.timezone}`);
  const customer = customerOf(plan, input.profile);
  const scratch = scratchOf(program);
  const known = knownTarget(program, scratch.targets, request);
  const scores = Object.hasOwn(request.attributes, 'propensityScores')
    ? request.attributes.propensityScores
    : undefined;
  const ownUse = holdoutOf(program, input, known.target);
  const holdout = ownUse !== false;
  return {
    number: scratch.decisions,
    plan,
    program,
    scratch,
    phases: program.phases,
    scoring: program.scoring,
    rescored: null,
    rescorings: null,
    calledVariants: null,
    priorsOf: null,
    prefix: '',
    origin: 0,
    present: null,
    noted: null,
    input,
    request,
    now: input.now,
    clock,
    scope: openScope(input, customer, program.offsets ?? clock.offsets ?? [[input.now, offsetOf(clock, input.now)]]),
    customer,
    segments: segmentsOf(input),
    lanes: viewLanes(scratch.lanes, input.contacts, program, plan.longestCooldownMs, input.now),
    outcomes: null,
    target: known.target,
    targetNumber: known.number,
    maxItems: maxItems(plan, request, known.target),
    holdout,
    rankMethod: holdout ? topN.name : program.rank.method.name,
    selectionMethod: holdout ? topN.name : (program.rank.method.strategy ?? program.rank.method.name),
    propensityScores:
      scores !== null && typeof scores === 'object' && !Array.isArray(scores)
        ? (scores as Run['propensityScores'])
        : null,
    soldOut: input.soldOut === undefined || input.soldOut.length === 0 ? null : new Set(input.soldOut),
    volumes: openVolumes(program.volumes, input.volumes),
    excludedCreatives: request.excludeCreatives.length === 0 ? null : new Set(request.excludeCreatives),
    list: [],
    mandatory: [],
    offerCount: 0,
    poolUsed: 0,
    leaving: 0,
    openPlacements: program.placements.length === 0 ? noPlacements : new Array(program.placements.length),
    lastRemover: null,
    slotRemover: known.target.slots === null ? noRemovers : known.target.slots.map(() => null),
    droppedByReason: {},
    policyBlocks: null,
    policyErrors: 0,
    warnings: input.joinTruncated === true ? ['join_truncated'] : [],
    after: { inventory: 0, mandatory: 0, creatives: 0, qualification: 0, suppression: 0, contactPolicy: 0, scoring: 0 },
    withheldByQuota: 0,
    maxMargin: 0,
    maxRevenue: 0,
    channelParts: null,
    interests: null,
    contacted: false,
    creativesCounted: false,
    offerCapsCounted: false,
    modelRuns: program.models.list.length === 0 ? noModelRuns : new Array(program.models.list.length),
    shadowRuns: null,
    assigned: null,
    experiments: ownUse === true || ownUse === false ? null : [ownUse],
    degraded: false,
    trace: trace || survey ? createTrace(probe, survey) : null,
    probe: probe ?? null,
    survey: survey ? new Set() : null,
    ask: ask ?? null,
    forced: null,
    observe: observe ?? null,
  };
}

/** True: the customer is in the tenant's holdout; false: in none; else in that of the flow's own experiment. */
function holdoutOf(program: Program, input: DecisionInput, { emptyReason }: Target): boolean | ExperimentUse {
  const { holdoutPercentage, scoring } = program;
  if (holdoutPercentage > 0 && u(`holdout:${input.request.customerId}`) * 100 < holdoutPercentage) return true;
  const { experiment } = scoring;
  if (experiment === null || emptyReason !== null || !isHeldOut(experiment, input)) return false;
  return useOf(experiment, input);
}

/** Champion, challenger or holdout of the flow's own score stage. */
function ownVariant(run: Run): ModelVariant | null {
  if (run.assigned !== null) return variantOf(run, run.assigned);
  const use = run.holdout ? (run.experiments?.[0] ?? null) : null;
  return use === null ? null : { experimentKey: use.key, variant: use.variant, modelKey: null, fallback: false };
}

const noModelRuns: Run['modelRuns'] = [];
/** Without chance, a method that draws returns its best pick instead. */
function rankMethodOf({ holdout, program, probe }: Run): RankMethod {
  const { method } = program.rank;
  if (holdout) return topN;
  return probe?.greedy === true ? (method.greedy ?? method) : method;
}

/** Those left are scored against each other, as if the others had left before. */
function letRefusedLeave(run: Run, refused: ReadonlySet<Candidate['offer']>): void {
  run.list = run.list.filter(({ offer }) => !refused.has(offer));
  run.offerCount = countOffers(run.list);
  run.survey = null;
}

const noItems: Items = { items: [], errors: 0, creativeShares: [], bySlot: [] };
const noPlacements: Run['openPlacements'] = [];
const noRemovers: Run['slotRemover'] = [];
const noSegments: ReadonlySet<string> = new Set();

function segmentsOf({ segments, request }: DecisionInput): ReadonlySet<string> {
  if (segments.length + request.segments.length === 0) return noSegments;
  return new Set(request.segments.length === 0 ? segments : [...segments, ...request.segments]);
}

/** Returns `customer.*`: what the plan may read of the profile, or the profile itself when it has nothing more. */
function customerOf({ program, profileFields }: Plan, profile: DecisionInput['profile']): Run['customer'] {
  if (!program.mergesRows && holdsOnly(profile, program.customerFields)) return profile;
  const customer: Record<string, Json> = Object.create(null);
  for (const name of profileFields) if (Object.hasOwn(profile, name)) customer[name] = profile[name]!;
  return customer;
}

function holdsOnly(profile: object, fields: ReadonlySet<string>): boolean {
  for (const name in profile) if (!fields.has(name)) return false;
  return true;
}

function openScope(input: DecisionInput, customer: Run['customer'], zone: ZoneOffsets): FormulaScope {
  const { request } = input;
  const scope = emptyScope();
  scope.customer = customer;
  scope.attributes = request.attributes;
  scope.request = request;
  scope.now = input.now;
  scope.zone = zone;
  return scope;
}

/** UTC offset of the clock, from its wall time. */
function offsetOf(clock: ZoneClock, now: number): number {
  const { date } = clock;
  const year = Number(date.slice(0, -6));
  const month = Number(date.slice(-5, -3));
  const day = Number(date.slice(-2));
  const seconds = (daysFromCivil(year, month, day) * 24 + clock.hour) * 3600 + clock.minute * 60 + clock.second;
  return seconds * 1000 - Math.floor(now / 1000) * 1000;
}

function finish(run: Run, written: Items, slate: Slate, coupling: readonly CouplingRow[]): Decision {
  const { program, target } = run;
  const { items } = written;
  const properties: Record<string, Json> = {};
  openAnswer(run);
  for (const step of program.output) {
    step.answer(run, properties);
    if (run.observe !== null) run.observe(step.type, step.nodeId);
  }
  if (target.emptyReason === null) {
    traceOutput(run, items.length);
    if (run.observe !== null) run.observe('response', program.response.nodeId);
  }
  return {
    items,
    placementResults: placementResults(run, written),
    properties,
    emptyReason: items.length > 0 ? null : (target.emptyReason ?? run.lastRemover ?? 'inventory'),
    controlGroup: run.holdout,
    degradedScoring: run.degraded,
    slateProbability: slate.probability,
    explored: slate.explored,
    minProbability: slate.least,
    draws: slate.draws,
    assignment: {
      creative: written.creativeShares,
      experiment: (run.holdout ? run.experiments?.[0]?.share : run.assigned?.share) ?? null,
      holdout: holdoutShare(run),
      ...(run.calledVariants === null ? {} : { called: run.calledVariants }),
    },
    summary: summarize(run, written, slate, coupling),
    // Without a place to fill, no flow ran, whatever the route would have called.
    subFlows: program.hasCalls ? (target.emptyReason === null ? run.phases.subFlows : []) : null,
    withheldByQuota: run.withheldByQuota,
    policyBlocks: run.policyBlocks,
    policyErrors: run.policyErrors,
    models: program.models.list.length === 0 ? null : askedModels(run),
    variant: ownVariant(run),
    experiments: run.experiments,
    responseFormat: program.response.format,
    includeFields: program.response.includeFields,
    trace: run.trace === null ? null : run.trace.build(new Set(items.map((item) => item.offerId))),
  };
}

/** Shadow models are scored only for traces, so they don't count as asked. */
function askedModels({ program, modelRuns }: Run): NonNullable<Decision['models']> {
  return program.models.list.flatMap(({ number, id, key, learns }) => {
    const modelRun = modelRuns[number];
    return modelRun === undefined || !(modelRun.used || modelRun.failed)
      ? []
      : [{ id, key, learns, failed: modelRun.failed }];
  });
}

/** The stages of phase 3, which remove nothing. */
function traceOutput({ trace, program }: Run, count: number): void {
  if (trace === null) return;
  const row = { candidates: count, passed: count, topScore: null, method: null, dropped: {}, warnings: [] };
  for (const { type, nodeId } of program.output) trace.stage({ stage: type, nodeId, ...row });
  trace.stage({ stage: 'response', nodeId: program.response.nodeId, ...row });
}

/** Returns the scope for formulas of the whole answer: no candidate. */
function openAnswer({ scope }: Run): void {
  scope.offer = null;
  scope.creative = null;
  scope.channel = null;
  scope.placement = null;
  scope.score = null;
  scope.names = null;
}

function holdoutShare({ program, holdout, experiments }: Run): number | null {
  const share = program.holdoutPercentage / 100;
  if (share <= 0) return null;
  return holdout && experiments === null ? share : 1 - share;
}

function summarize(run: Run, written: Items, slate: Slate, channelCoupling: readonly CouplingRow[]): DecisionSummary {
  const { after } = run;
  return {
    candidateCount: after.inventory,
    mandatoryCount: after.mandatory,
    afterCreatives: after.creatives,
    afterQualification: after.qualification,
    afterSuppression: after.suppression,
    afterContactPolicy: after.contactPolicy,
    afterScoring: after.scoring,
    finalCount: written.items.length,
    computeErrors: written.errors,
    channelCoupling,
    slateProbability: slate.probability,
    droppedByReason: run.droppedByReason,
    warnings: run.warnings,
  };
}
