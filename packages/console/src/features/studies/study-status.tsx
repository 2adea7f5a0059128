import type { StudySummary } from '@arbiter/contract/judging/studies';
import { studyTexts as t } from '../../messages/judging/studies.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';

type Status = StudySummary['status'];

const tones: Readonly<Record<Status, Tone>> = {
  queued: 'neutral',
  running: 'info',
  completed: 'pass',
  failed: 'block',
  cancelled: 'neutral',
};

export const isOpen = (status: Status): boolean => status === 'queued' || status === 'running';

export const StudyStatus = ({ status }: { readonly status: Status }) => (
  <Badge tone={tones[status]}>{t.statuses[status]}</Badge>
);
