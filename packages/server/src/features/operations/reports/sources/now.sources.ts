import type { ReportRow } from '@arbiter/contract';
import { countDeadLetters, countOwnJobs } from '../../../../jobs/index.ts';
import { countRecords } from '../../../catalogue/catalogue-records/index.ts';
import { completedTrainings, readStates } from '../../../catalogue/models/index.ts';
import { selectBudgetedOffers } from '../../../catalogue/offers/index.ts';
import { countLatePipelines } from '../../../data/pipelines/index.ts';
import { readMinuteSums } from '../../../deciding/decisions/index.ts';
import { readTotals } from '../../../deciding/interactions/index.ts';
import { figuresCents, pricesOf, readOfferVolumes } from '../../../deciding/volumes/index.ts';
import { countPending } from '../../approvals/index.ts';
import { readOutboxLag } from '../../stream/index.ts';
import { anomalyOf } from '../anomalies.rules.ts';
import { dayAfter, round2 } from '../frame.rules.ts';
import { countLate } from '../schedules.store.ts';
import { column, type Source, sourceResult } from './source.ts';
import { filterOf, offerNames, offersMeant } from './totals.service.ts';

const summary: Source = {
  key: 'summary',
  label: 'Summary',
  description:
    'Active records, and recent decisions and outcomes. Decisions of the current minute are not counted yet.',
  params: ['days'],
  columns: () => [
    column('activeOffers', 'Active offers', 'integer'),
    column('activeChannels', 'Active channels', 'integer'),
    column('activeFlows', 'Active flows', 'integer'),
    column('activeExperiments', 'Active experiments', 'integer'),
    column('activeJourneys', 'Active journeys', 'integer'),
    column('activeTriggers', 'Active triggers', 'integer'),
    column('pendingApprovals', 'Pending approvals', 'integer'),
    column('decisions', 'Decisions', 'integer'),
    column('impressions', 'Impressions', 'integer'),
    column('conversions', 'Conversions', 'integer'),
    column('revenue', 'Revenue', 'money'),
  ],
  chart: () => null,
  async read(tx, { frame: { first, today, from, now } }) {
    const [decided] = await readMinuteSums(tx, [from, new Date(now.getTime() + 1)], null);
    const [totals] = await readTotals(tx, first, today, { offerIds: null, channelId: null }, []);
    return sourceResult(
      [
        {
          activeOffers: await countRecords(tx, 'offer', 'status', 'active'),
          activeChannels: await countRecords(tx, 'channel', 'status', 'active'),
          activeFlows: await countRecords(tx, 'decisionFlow', 'status', 'active'),
          activeExperiments: await countRecords(tx, 'experiment', 'status', 'active'),
          activeJourneys: await countRecords(tx, 'journey', 'status', 'active'),
          activeTriggers: await countRecords(tx, 'trigger', 'status', 'active'),
          pendingApprovals: await countPending(tx),
          decisions: decided?.decisions ?? 0,
          impressions: totals?.impressions ?? 0,
          conversions: totals?.converts ?? 0,
          revenue: round2(totals?.totalValue ?? 0),
        },
      ],
      ['Active records and pending approvals are current counts.'],
    );
  },
};

const modelMetricsTrend: Source = {
  key: 'model_metrics_trend',
  label: 'Model metrics',
  description: 'How well a model predicts after each training, by version.',
  params: ['modelId', 'limit'],
  required: ['modelId'],
  columns: () => [
    column('version', 'Version', 'integer'),
    column('trainedAt', 'Trained at', 'instant'),
    column('auc', 'AUC', 'ratio'),
    column('logLoss', 'Log loss', 'decimal'),
    column('samples', 'Samples', 'integer'),
  ],
  chart: () => ({ kind: 'line', x: 'version', y: ['auc', 'logLoss'] }),
  async read(tx, { params, limit }) {
    const id = (params.modelId ?? '').toLowerCase();
    const trainings = (await completedTrainings(tx, id)).slice(0, limit).reverse();
    if (trainings.length > 0) {
      return sourceResult(
        trainings.map(({ trainedVersion, finishedAt, metrics, samples }) => ({
          version: trainedVersion ?? 0,
          trainedAt: finishedAt?.toISOString() ?? null,
          auc: metrics?.auc ?? null,
          logLoss: metrics?.logLoss ?? null,
          samples: Number(samples ?? 0),
        })),
        ['AUC and log loss are measured on rows held back from training.'],
      );
    }
    const learned = (await readStates(tx, [id], false)).get(id);
    if (learned?.learnedAt == null) return sourceResult([], ["The model hasn't learned anything yet."]);
    const { version, learnedAt, samples } = learned;
    return sourceResult(
      [{ version, trainedAt: learnedAt.toISOString(), auc: null, logLoss: null, samples }],
      ['Models that learn continuously only keep their newest state, and have neither AUC nor log loss.'],
    );
  },
};

const anomalyCandidates: Source = {
  key: 'anomaly_candidates',
  label: 'Anomalies',
  description:
    'Daily figures of the tenant and its offers that changed noticeably: the average of the recent days, ' +
    'without today, compared with the days before.',
  params: ['days', 'baselineDays', 'limit', 'offerId', 'channelId', 'categoryId'],
  columns: () => [
    column('metric', 'Metric', 'text'),
    column('object', 'Object', 'text'),
    column('now', 'Now', 'decimal'),
    column('baseline', 'Baseline', 'decimal'),
    column('z', 'Z', 'decimal'),
    column('severity', 'Severity', 'text'),
  ],
  chart: () => ({ kind: 'bar', x: 'object', y: ['z'] }),
  period: ({ first, today }) => ({ from: dayAfter(first, -1), to: dayAfter(today, -1) }),
  async read(tx, { params, frame, limit }) {
    const baselineDays = params.baselineDays ?? 28;
    const last = dayAfter(frame.today, -1);
    const count = frame.days.length + baselineDays;
    const days = Array.from({ length: count }, (_, at) => dayAfter(last, at - count + 1));
    const rows = await readTotals(tx, days[0] ?? last, last, await filterOf(tx, params), ['day', 'offerId']);
    // Before the first figure of an object there was nothing to compare with.
    const metrics = {
      impressions: 'impressions',
      positive: 'positives',
      converts: 'conversions',
      totalValue: 'revenue',
    };
    const found: (ReportRow & { readonly z: number })[] = [];
    const ofOffers = Map.groupBy(rows, ({ offerId }) => offerId ?? '');
    const nameOf = await offerNames(tx, [...ofOffers.keys()]);
    for (const [offerId, ofObject] of [[null, rows] as const, ...ofOffers]) {
      const byDay = Map.groupBy(ofObject, ({ day }) => day ?? '');
      const since = days.findIndex((day) => byDay.has(day));
      for (const [name, metric] of Object.entries(metrics)) {
        const figureOf = (day: string) =>
          (byDay.get(day) ?? []).reduce((sum, row) => sum + Number(Reflect.get(row, name)), 0);
        const values = days.slice(since).map(figureOf);
        const object = offerId === null ? 'All offers' : nameOf(offerId);
        const anomaly = anomalyOf({ metric, object, values }, frame.days.length, baselineDays);
        if (anomaly !== null) found.push({ ...anomaly, offerId });
      }
    }
    return sourceResult(found.toSorted((a, b) => Math.abs(b.z) - Math.abs(a.z)).slice(0, limit));
  },
};

const budgetBurn: Source = {
  key: 'budget_burn',
  label: 'Budget burn',
  description: 'Offers with a total budget: amount spent, cost per day and when the budget will run out.',
  params: ['days', 'limit', 'offerId', 'categoryId'],
  columns: () => [
    column('offer', 'Offer', 'text'),
    column('allocated', 'Allocated', 'money'),
    column('spent', 'Spent', 'money'),
    column('remaining', 'Remaining', 'money'),
    column('burnRate', 'Cost per day', 'money'),
    column('exhaustedOn', 'Runs out on', 'date'),
  ],
  chart: () => ({ kind: 'bar', x: 'offer', y: ['spent', 'remaining'] }),
  async read(tx, { params, frame, limit }) {
    const meant = await offersMeant(tx, params);
    const offers = (await selectBudgetedOffers(tx)).filter(({ id }) => meant?.includes(id) ?? true);
    const ids = offers.map(({ id }) => id);
    const volumes = await readOfferVolumes(tx, ids, frame.zone);
    const totals = await readTotals(tx, frame.first, frame.today, { offerIds: ids, channelId: null }, ['offerId']);
    const byOffer = new Map(totals.map((row) => [row.offerId, row]));
    const rows = offers.map(({ id, name, budget, lifetimeCapCents }) => {
      const spent = volumes.get(id)?.currentLifetimeSpentCents ?? 0;
      const left = Math.max(0, lifetimeCapCents - spent);
      const figures = byOffer.get(id);
      const perDay = figures === undefined ? 0 : figuresCents(pricesOf(budget), figures) / frame.days.length;
      const exhaustedOn = left === 0 ? frame.today : perDay > 0 ? after(frame.today, left / perDay) : null;
      return {
        offer: name,
        offerId: id,
        allocated: round2(lifetimeCapCents / 100),
        spent: round2(spent / 100),
        remaining: round2(left / 100),
        burnRate: round2(perDay / 100),
        exhaustedOn,
      };
    });
    return sourceResult(rows.toSorted((a, b) => b.burnRate - a.burnRate || b.spent - a.spent).slice(0, limit));
  },
};

/** How many days ahead a date may be. */
const maxDaysAhead = 36_500;
const after = (today: string, days: number): string | null =>
  days > maxDaysAhead ? null : dayAfter(today, Math.floor(days));

const systemHealth: Source = {
  key: 'system_health',
  label: 'System health',
  description: 'Background work of the tenant: waiting, failed and late jobs.',
  params: [],
  columns: () => [
    column('queueDepth', 'Waiting jobs', 'integer'),
    column('deadLetters', 'Dead letters', 'integer'),
    column('outboxLagSeconds', 'Outbox lag in seconds', 'decimal'),
    column('schedulesLate', 'Late schedules', 'integer'),
    column('pipelinesLate', 'Late pipelines', 'integer'),
    column('breakersOpen', 'Paused destinations', 'integer'),
  ],
  chart: () => null,
  async read(tx, _asked, { openBreakers }) {
    const dead = Object.values(await countDeadLetters(tx, { topic: null, ids: null }));
    return sourceResult(
      [
        {
          queueDepth: await countOwnJobs(tx),
          deadLetters: dead.reduce((sum, count) => sum + count, 0),
          outboxLagSeconds: round2(await readOutboxLag(tx)),
          schedulesLate: await countLate(tx),
          pipelinesLate: await countLatePipelines(tx),
          breakersOpen: openBreakers(tx.tenantId),
        },
      ],
      ['Paused destinations are those of the process that handles this request.'],
    );
  },
};

/** Sources of current state and of derived figures. */
export const nowSources = {
  summary,
  model_metrics_trend: modelMetricsTrend,
  anomaly_candidates: anomalyCandidates,
  budget_burn: budgetBurn,
  system_health: systemHealth,
};
