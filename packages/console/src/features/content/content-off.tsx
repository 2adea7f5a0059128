import { contentTexts as t } from '../../messages/content/items.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { whyNotChange } from './content-enabled.ts';

/** Says that the tenant has turned content management off. Renders nothing while it's on. */
export function ContentOff() {
  if (whyNotChange() === null) return null;
  return (
    <ProblemPanel
      tone="warn"
      title={t.off}
      actions={<ButtonLink to={addresses.settings()}>{t.openSettings}</ButtonLink>}
    >
      {t.offText}
    </ProblemPanel>
  );
}
