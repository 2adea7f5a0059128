import { type ContentItem, contentOperations } from '@arbiter/contract/catalogue/content';
import { creativeOperations } from '@arbiter/contract/catalogue/creatives';
import { useList } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { contentTexts as t } from '../../messages/content/items.ts';
import { addresses } from '../../route/addresses.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';

/** Records shown at most. */
const most = 20;

/** Where the item is used: creatives that show it, and items built on it. */
export function ContentUses({ item: { id, isTemplate } }: { readonly item: ContentItem }) {
  const creatives = useList(creativeOperations.list, { query: { contentItemId: id, limit: most } });
  const children = useList(
    contentOperations.list,
    { query: { parentTemplateId: id, limit: most } },
    { enabled: isTemplate },
  );
  const rows = [
    ...creatives.rows.map(({ id: own, name, status }) => ({
      to: addresses.creative(own),
      what: t.creative,
      name,
      status,
    })),
    ...(isTemplate ? children.rows : []).map(({ id: own, name, status }) => ({
      ...{ to: addresses.content(own), what: t.item, name, status },
    })),
  ];
  const total = (creatives.total ?? creatives.rows.length) + (isTemplate ? (children.total ?? 0) : 0);
  const failure = creatives.failure ?? children.failure;
  const isLoaded = !creatives.loading && !(isTemplate && children.loading);
  return (
    <Section title={t.usedBy}>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={creativeOperations.list} retry={creatives.refresh} />
      )}
      {isLoaded && failure === null && rows.length === 0 ? <p className="text-soft">{t.unused}</p> : null}
      <ul className="flex flex-col gap-1.5 text-dense">
        {rows.map(({ to, what, name, status }) => (
          <li key={to} className="flex min-w-0 flex-wrap items-center gap-x-2">
            <span className="text-soft">{what}</span>
            <Link to={to} className="min-w-0 break-words">
              <span dir="auto">{name}</span>
            </Link>
            {status === 'active' || status === 'published' ? null : <StatusBadge status={status} />}
          </li>
        ))}
      </ul>
      {total > rows.length && isLoaded ? (
        <p className="pt-2 text-caption text-faint">{t.more(total - rows.length)}</p>
      ) : null}
    </Section>
  );
}
