import type { Category, SubCategory } from '@arbiter/contract/catalogue/categories';
import { categoryTexts as t } from '../../messages/catalogue/categories.ts';
import { addresses } from '../../route/addresses.ts';
import { cx } from '../../ui/cx.ts';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Branch } from './tree.ts';

export interface CategoryTreeProps {
  readonly tree: readonly Branch<Category, SubCategory>[];
  /** ID of the node shown next to the tree. */
  readonly chosen: string | null;
}

/** Both levels as nested lists of links. The address has the open node. */
export function CategoryTree({ tree, chosen }: CategoryTreeProps) {
  return (
    <nav aria-label={t.tree} className="max-h-[70dvh] overflow-y-auto p-2">
      <ul className="flex flex-col gap-1">
        {tree.map(({ category, children }) => (
          <li key={category.id}>
            <Entry record={category} chosen={chosen} strong />
            {children.length === 0 ? null : (
              <ul className="ms-3 border-s border-line ps-2">
                {children.map((child) => (
                  <li key={child.id}>
                    <Entry record={child} chosen={chosen} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface EntryProps {
  readonly record: Category | SubCategory;
  readonly chosen: string | null;
  readonly strong?: boolean;
}

function Entry({ record: { id, name, status, _count: count }, chosen, strong = false }: EntryProps) {
  const format = useFormat();
  const here = id === chosen;
  return (
    <Link
      to={addresses.category(id)}
      look="plain"
      aria-current={here ? 'true' : undefined}
      className={cx(
        'flex min-h-8 items-center gap-2 rounded-control px-2 py-1',
        strong && 'font-medium',
        here ? 'bg-accent-soft text-accent-ink' : 'hover:bg-hover',
      )}
    >
      <span dir="auto" className="line-clamp-3 min-w-0 grow wrap-anywhere">
        {name}
      </span>
      {status === 'active' ? null : <span className="text-caption text-faint">{status}</span>}
      <span className="text-caption text-faint" title={t.offersIn(format.number(count.offers))}>
        <span aria-hidden>{format.number(count.offers)}</span>
        <span className="hidden-text">{t.offersIn(format.number(count.offers))}</span>
      </span>
    </Link>
  );
}
