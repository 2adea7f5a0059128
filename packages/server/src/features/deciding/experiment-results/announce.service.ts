import type { AutoPromoteVerdict } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { ExperimentRow } from '../../catalogue/experiments/index.ts';
import { enabledProviders, enqueueDelivery } from '../../operations/notifications/index.ts';

const sentences: Readonly<Record<AutoPromoteVerdict, string>> = {
  promoted: 'A challenger took over as champion, and the experiment is completed.',
  not_better: 'No challenger is better by the threshold. The champion stays.',
  not_significant: 'A challenger is better by the threshold, but the difference may be chance. The champion stays.',
  sample_ratio_mismatch: "The group sizes don't match the configured shares, so the results can't be trusted.",
  guard: "A challenger is better, but its promotion was blocked by the model's guard. The champion stays.",
};

const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200);

/** Tells the tenant's destinations the result of an experiment, once the transaction has committed. */
export async function announce(
  tx: Tx,
  { id, key, name }: Pick<ExperimentRow, 'id' | 'key' | 'name'>,
  verdict: AutoPromoteVerdict,
): Promise<void> {
  const message = {
    severity: verdict === 'sample_ratio_mismatch' || verdict === 'guard' ? ('warning' as const) : ('info' as const),
    title: oneLine(`Experiment judged: ${name}`),
    message: sentences[verdict],
    fields: [
      { name: 'experiment', value: key },
      { name: 'verdict', value: verdict },
    ],
    sourceUrl: null,
    data: { experimentId: id, experimentKey: key, verdict },
    sentAt: tx.now.toISOString(),
  };
  for (const [channel, to] of (await enabledProviders(tx)).entries()) {
    await enqueueDelivery(tx, { to, message, type: 'experiment', originId: id, channel });
  }
}
