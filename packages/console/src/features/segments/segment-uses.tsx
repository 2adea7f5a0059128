import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { segmentTexts as t } from '../../messages/catalogue/segments.ts';
import { isRecordKind, recordAddress, recordKinds } from '../../records/record-kinds.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';

/** Records that name a segment. They keep it from being deleted. */
export function SegmentUses({ id }: { readonly id: string }) {
  const answer = useOperation(segmentOperations.uses, { params: { id } });
  return (
    <Section title={t.uses} flush>
      <Loaded answer={answer} operation={segmentOperations.uses}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="p-4 text-soft">{t.unused}</p>
          ) : (
            <ul className="divide-y divide-line">
              {data.map((use) => (
                <li key={`${use.entityType} ${use.id}`} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
                  <UseName {...use} />
                  <span className="text-dense text-soft">{kindOf(use.entityType)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

const kindOf = (entityType: string): string =>
  isRecordKind(entityType) ? recordKinds[entityType].titles.one : (t.otherKinds[entityType] ?? entityType);

interface UseNameProps {
  readonly entityType: string;
  readonly id: string;
  readonly name: string;
}

function UseName({ entityType, id, name }: UseNameProps) {
  const to = recordAddress(entityType, id);
  const look = 'min-w-0 flex-1 break-words font-medium';
  return to === null ? (
    <span dir="auto" className={look}>
      {name}
    </span>
  ) : (
    <Link to={to} className={look}>
      <span dir="auto">{name}</span>
    </Link>
  );
}
