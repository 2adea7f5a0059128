import {
  Database,
  FolderTree,
  Gift,
  ListChecks,
  type LucideIcon,
  Megaphone,
  PanelTop,
  RadioTower,
  Scale,
  ShieldCheck,
  User,
  UsersRound,
  Workflow,
} from 'lucide-react';
import type { KeptRecord } from '../data/kept-records.ts';
import { keptTexts } from '../messages/kept-records.ts';
import type { RecordKind } from '../route/record-address.ts';
import { middleCut } from '../ui/format.ts';

/** As in the rail, where a kind has a list there. */
const icons: Readonly<Record<RecordKind, LucideIcon>> = {
  category: FolderTree,
  channel: RadioTower,
  contactPolicy: ShieldCheck,
  creative: Megaphone,
  customer: User,
  decision: Scale,
  decisionFlow: Workflow,
  offer: Gift,
  placement: PanelTop,
  qualificationRule: ListChecks,
  schema: Database,
  segment: UsersRound,
};

/** The icon of a kind of record. Its word stands beside it. */
export function RecordIcon({ kind }: { readonly kind: RecordKind }) {
  const Icon = icons[kind];
  return <Icon aria-hidden className="size-4 shrink-0 text-soft" strokeWidth={1.75} />;
}

/** What a kept record is called: its name as it was last seen; a customer by their id, a decision by a part of its. */
export function nameOfKept({ kind, id, name }: Pick<KeptRecord, 'kind' | 'id' | 'name'>): string {
  if (name !== null) return name;
  return kind === 'customer' ? id : keptTexts.byId(kind, middleCut(id));
}
