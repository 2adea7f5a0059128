import { type RecordKind, recordKinds } from './record-kinds.ts';

/** Icon of a type of record. Its title is next to it. */
export function RecordIcon({ kind }: { readonly kind: RecordKind }) {
  const Icon = recordKinds[kind].icon;
  return <Icon aria-hidden className="size-4 shrink-0 text-soft" strokeWidth={1.75} />;
}
