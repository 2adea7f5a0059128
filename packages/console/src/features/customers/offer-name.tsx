import { offerOperations } from '@arbiter/contract/offers';
import { useOperation } from '../../data/use-operation.ts';
import { NameOf } from '../../forms/name-of.tsx';

/** The name of an offer. `RecordName` would bring the readers of every kind of record to the page. */
export function OfferName({ id }: { readonly id: string }) {
  const answer = useOperation(offerOperations.get, { params: { id } }, { keepPrevious: false });
  return <NameOf answer={answer} kind="offer" id={id} />;
}
