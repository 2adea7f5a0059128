import { withPlainScopes } from '../../../forms/editing/inputs/scopes-input.tsx';
import { ImpactPanel } from './impact-panel.tsx';

type Values = Readonly<Record<string, unknown>>;

export interface RequestedImpactProps {
  /** The policy as it is now; undefined for a new one. */
  readonly record: Values | undefined;
  /** The values of the request. */
  readonly payload: Values;
}

/** What a requested policy, or a requested change of one, would do. */
export function RequestedImpact({ record, payload }: RequestedImpactProps) {
  const { status, ruleType, config, scopes, priority } = withPlainScopes({ ...record, ...payload });
  const stored = record === undefined ? null : { id: String(record.id), isActive: record.status === 'active' };
  return <ImpactPanel stored={stored} tried={{ status, ruleType, config: Object(config), scopes, priority }} />;
}
