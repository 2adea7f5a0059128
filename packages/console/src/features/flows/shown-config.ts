import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { type Answer, useOperation } from '../../data/use-operation.ts';

export interface ShownConfig {
  /** `draft` or the number of a published version. */
  readonly version: 'draft' | number;
  readonly config: unknown;
  /** How the published version was read; null for the draft. */
  readonly answer: Pick<Answer<unknown>, 'failure' | 'loading' | 'refresh'> | null;
}

/** Reads the version that the address names; without one, the newest published, else the draft. */
export function versionOf(
  flow: Pick<DecisionFlow, 'publishedVersions' | 'deletedAt'>,
  requested: string | undefined,
): 'draft' | number {
  // The versions of a deleted flow can't be read.
  if (flow.deletedAt !== null) return 'draft';
  const numbers = flow.publishedVersions.map(({ version }) => version);
  if (requested === 'draft') return 'draft';
  const number = Number(requested);
  return numbers.includes(number) ? number : (numbers.at(-1) ?? 'draft');
}

/** The config of one version of a flow. */
export function useConfig(flow: DecisionFlow, version: 'draft' | number): ShownConfig {
  const published = version !== 'draft';
  const answer = useOperation(
    decisionFlowOperations.versions,
    { query: published ? { id: flow.id, version } : { id: flow.id } },
    { enabled: published, keepPrevious: false },
  );
  if (!published) return { version, config: flow.draftConfig, answer: null };
  const found = answer.data?.versions.find((one) => one.version === version);
  return { version, config: found?.configSnapshot, answer };
}
