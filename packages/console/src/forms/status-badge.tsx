import { listTexts as t } from '../messages/lists/lists.ts';
import { Badge, type Tone } from '../ui/badge.tsx';

const tones: Readonly<Record<string, Tone>> = {
  ...{ active: 'pass', draft: 'draft', paused: 'warn', archived: 'neutral' },
  ...{ in_review: 'info', approved: 'info', published: 'pass' },
};

/** Status of a catalogue record. */
export function StatusBadge({ status, deleted = false }: { readonly status: string; readonly deleted?: boolean }) {
  if (deleted) return <Badge tone="block">{t.deleted}</Badge>;
  return <Badge tone={tones[status] ?? 'neutral'}>{statusText(status)}</Badge>;
}

/** A status in words. */
const statusText = (status: string): string => status.replaceAll('_', ' ');

/** The filter by status. */
export const statusChoice = {
  key: 'status',
  label: t.status,
  options: Object.entries(t.statuses).map(([value, label]) => ({ value, label })),
};
