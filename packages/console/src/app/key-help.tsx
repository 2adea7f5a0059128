import { useState } from 'react';
import { keyTexts } from '../messages/palette.ts';
import { boundKeys, writtenKeys } from '../route/keys.ts';
import { CheckField } from '../ui/field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { characterKeysOn, switchCharacterKeys } from './key-listener.ts';
import { isMac } from './platform.ts';

/** Shortcuts of every list. The table binds them itself. */
const listKeys = [
  ['j', keyTexts.next],
  ['k', keyTexts.previous],
  ['x', keyTexts.select],
  ['enter', keyTexts.open],
  ['space', keyTexts.peek],
  ['mod+a', keyTexts.selectAll],
  ['escape', keyTexts.leave],
] as const;

/** Shows all active shortcuts, and the switch for single-letter ones. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(characterKeysOn);
  // The last binding of a key wins.
  const everywhere = [...new Map(boundKeys().map(({ keys, title }) => [keys, title])).entries()];
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={keyTexts.title}>
      <div className="flex flex-col gap-4 pb-2">
        <CheckField
          label={keyTexts.switchLabel}
          help={keyTexts.switchHelp}
          checked={on}
          onChange={({ target }) => {
            switchCharacterKeys(target.checked);
            setOn(target.checked);
          }}
        />
        <KeyTable title={keyTexts.everywhere} keys={everywhere} />
        <KeyTable title={keyTexts.lists} keys={listKeys} />
      </div>
    </Dialog>
  );
}

function KeyTable({ title, keys }: { title: string; keys: readonly (readonly [keys: string, title: string])[] }) {
  return (
    <table className="w-full text-body">
      <caption className="pb-1 text-start font-semibold">{title}</caption>
      <tbody>
        {keys.map(([pressed, what]) => (
          <tr key={pressed} className="border-line border-t">
            <th scope="row" className="py-1 text-start font-normal">
              {what}
            </th>
            <td className="py-1 text-end">
              {writtenKeys(pressed, isMac()).map((part, index) => (
                <span key={part}>
                  {index === 0 ? null : <span className="px-1 text-faint">{keyTexts.after}</span>}
                  <kbd className="rounded-control border border-line bg-sunken px-1.5 py-0.5 text-caption">{part}</kbd>
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
