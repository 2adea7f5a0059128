// Campaigns of benchmarks, created and started through the public API.
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchCatalogue, type BenchTarget, headersOf, post } from './bench-catalogue.ts';

export interface CampaignRun {
  readonly id: string;
  readonly status: string;
  readonly durationMs: number | null;
  readonly totalCustomers: number;
  readonly processedCustomers: number;
  readonly totalRecommendations: number;
}

async function get<T>({ url, key }: BenchTarget, path: string): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}`, { headers: headersOf({ url, key }) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates a campaign for all customers that sends nothing. Returns its id. */
export async function createCampaign(target: BenchTarget, { flowKey }: BenchCatalogue): Promise<string> {
  type List = { readonly data: readonly { readonly id: string; readonly key?: string; readonly name: string }[] };
  const schemas = await get<List>(target, 'schemas');
  const channels = await get<List>(target, 'channels');
  const flows = await get<List>(target, 'decision-flows');
  const segment = await post(target, 'segments', { name: 'Everyone', baseSchemaId: schemas.data[0]!.id });
  const campaign = await post(target, 'runs', {
    decisionFlowId: flows.data.find(({ key }) => key === flowKey)!.id,
    segmentId: segment.id,
    channelIds: [channels.data.find(({ name }) => name === 'Email')!.id],
  });
  return campaign.id as string;
}

/** Starts a run. Returns its id. */
export async function startRun(target: BenchTarget, campaignId: string): Promise<string> {
  return (await post(target, `runs/${campaignId}/campaign-runs`, {})).id as string;
}

/** Waits for the end of a run. Throws unless it's completed. */
export async function endOf(target: BenchTarget, campaignId: string, runId: string): Promise<CampaignRun> {
  for (;;) {
    const run = await get<CampaignRun>(target, `runs/${campaignId}/campaign-runs/${runId}`);
    if (run.durationMs !== null && run.status !== 'pending' && run.status !== 'running') {
      if (run.status !== 'completed') throw new Error(`the run ended as ${JSON.stringify(run)}`);
      return run;
    }
    await sleep(100);
  }
}

/** Customers/s. */
export const rateOf = (run: CampaignRun): number => (run.totalCustomers * 1000) / (run.durationMs ?? Number.NaN);
