import { contentOperations } from '@arbiter/contract/catalogue/content';
import { useOperation } from '../../data/use-operation.ts';
import { NameOf } from '../../forms/name-of.tsx';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { addresses } from '../../route/addresses.ts';
import { Link } from '../../ui/link.tsx';

/** The content item that a creative shows, linked to its page. */
export function ContentItemLink({ id }: { readonly id: string }) {
  const answer = useOperation(contentOperations.get, { params: { id } });
  return (
    <Link to={addresses.content(id)}>
      <NameOf answer={answer} kind={catalogueTitles.content} id={id} />
    </Link>
  );
}
