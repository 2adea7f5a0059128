import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { useOperation } from '../../data/use-operation.ts';
import { NameOf } from '../../forms/name-of.tsx';

/** Offer name. `RecordName` would load the readers of every record type. */
export function OfferName({ id }: { readonly id: string }) {
  const answer = useOperation(offerOperations.get, { params: { id } }, { keepPrevious: false });
  return <NameOf answer={answer} kind="offer" id={id} />;
}
