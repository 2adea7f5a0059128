import { Direction, Tooltip } from 'radix-ui';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Format, formatFor, type Locale } from './format.ts';
import { LinkContext, type Links } from './link.tsx';

const FormatContext = createContext<Format>(formatFor({ locale: 'en', timeZone: 'UTC', currency: 'EUR' }));

/** Writers of numbers and times as the tenant writes them. */
export function useFormat(): Format {
  return useContext(FormatContext);
}

export interface UiProviderProps extends Locale {
  /** How addresses inside the console are opened; see link.tsx. */
  readonly links: Links;
  readonly children: ReactNode;
}

/** Gives every component below its links, its writers of numbers and times, and the delay of its tooltips. */
export function UiProvider({ links, locale, timeZone, currency, children }: UiProviderProps) {
  const format = useMemo(() => formatFor({ locale, timeZone, currency }), [locale, timeZone, currency]);
  return (
    <LinkContext value={links}>
      <FormatContext value={format}>
        {/* Without being told the library sets its parts from left to right, whatever the page around them says. */}
        <Direction.Provider dir={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}>
          <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
            {children}
          </Tooltip.Provider>
        </Direction.Provider>
      </FormatContext>
    </LinkContext>
  );
}
