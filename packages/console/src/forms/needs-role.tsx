import type { Role } from '@arbiter/contract/core/operation';
import { boot, roleOf } from '../data/boot.ts';
import { rightsTexts as t } from '../messages/lists/lists.ts';
import { addresses } from '../route/addresses.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';

/** Replaces a page that the user's role can't read: what it is, which role can, and where to go. */
export function NeedsRole({ title, needs }: { readonly title: string; readonly needs: Role }) {
  return (
    <Empty title={title} actions={<ButtonLink to={addresses.home()}>{t.home}</ButtonLink>}>
      {t.ask(roleOf(boot()) ?? '', needs)}
    </Empty>
  );
}
