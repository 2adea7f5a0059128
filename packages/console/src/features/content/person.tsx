import { userOperations } from '@arbiter/contract/identity/users';
import { boot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { useList } from '../../data/use-operation.ts';
import { contentTexts as t } from '../../messages/content/items.ts';
import { Id } from '../../ui/copy.tsx';

/** The signed-in user's id. */
export function ownId(): string | null {
  const block = boot();
  return block.authenticated ? (block.session.principal?.id ?? null) : null;
}

const isId = (text: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text);

/** Who did something. Only admins can read the names of other people. */
export function Person({ id }: { readonly id: string }) {
  const users = useList(userOperations.list, { query: { limit: 200 } }, { enabled: can(userOperations.list).allowed });
  if (id === 'system') return t.system;
  if (id === ownId()) return t.you;
  const user = users.rows.find((each) => each.id === id);
  // Keys are recorded by name.
  if (user === undefined) return isId(id) ? <Id id={id} what="user ID" /> : <span dir="auto">{id}</span>;
  return <span dir="auto">{user.name === '' ? user.email : user.name}</span>;
}
