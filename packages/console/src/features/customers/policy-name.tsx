import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { useOperation } from '../../data/use-operation.ts';
import { NameOf } from '../../forms/name-of.tsx';

/** The name of a contact policy. */
export function PolicyName({ id }: { readonly id: string }) {
  return <NameOf answer={useOperation(contactPolicyOperations.get, { params: { id } })} kind="policy" id={id} />;
}
