import { Direction, Tooltip } from 'radix-ui';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Format, formatFor, type Locale } from './format.ts';
import { LinkContext, type Links } from './link.tsx';

const FormatContext = createContext<Format>(formatFor({ locale: 'en', timeZone: 'UTC', currency: 'EUR' }));

/** Formatters of numbers and times for the tenant. */
export function useFormat(): Format {
  return useContext(FormatContext);
}

export interface UiProviderProps extends Locale {
  /** Opens addresses of the console; see link.tsx. */
  readonly links: Links;
  readonly children: ReactNode;
}

/** Provides links, formatters and the tooltip delay to all components below. */
export function UiProvider({ links, locale, timeZone, currency, children }: UiProviderProps) {
  const format = useMemo(() => formatFor({ locale, timeZone, currency }), [locale, timeZone, currency]);
  return (
    <LinkContext value={links}>
      <FormatContext value={format}>
        {/* By default, the library uses left-to-right, whatever the page's direction. */}
        <Direction.Provider dir={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}>
          <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
            {children}
          </Tooltip.Provider>
        </Direction.Provider>
      </FormatContext>
    </LinkContext>
  );
}
