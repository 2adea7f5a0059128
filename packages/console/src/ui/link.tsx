import { type ComponentProps, createContext, type MouseEvent, useContext } from 'react';
import { cx } from './cx.ts';

/** All that `ui` knows about the router. The app provides it through UiProvider. */
export interface Links {
  /** Address for the browser, with the sub path: `/offers` -> `/arbiter/offers`. */
  readonly href: (to: string) => string;
  readonly go: (to: string) => void;
  /** Address that is open, without the sub path. */
  readonly here?: () => string;
  /** Called when a person is about to open the address. */
  readonly prefetch?: (to: string) => void;
}

export const LinkContext = createContext<Links>({
  href: (to) => to,
  go: (to) => globalThis.location.assign(to),
});

export function useLinks(): Links {
  return useContext(LinkContext);
}

/** Milliseconds before a hovered link's page is prefetched, so that scrolling under the pointer prefetches nothing. */
const intentMs = 60;
let resting: ReturnType<typeof setTimeout> | undefined;

/** Handlers of a link that prefetch its page after a moment of hovering. */
export function onHover(links: Links, to: string) {
  return {
    onPointerEnter: () => {
      clearTimeout(resting);
      resting = setTimeout(() => links.prefetch?.(to), intentMs);
    },
    onPointerLeave: () => clearTimeout(resting),
  };
}

/** True when the browser should handle a click itself: new tab, new window, download. */
export function leftToBrowser(event: MouseEvent): boolean {
  return (
    event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
  );
}

export interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** Address inside the console, or an https address of another site. */
  readonly to: string;
  /** `text` is colored, and underlined on hover; `plain` is unstyled. */
  readonly look?: 'text' | 'plain';
}

/** A real link: middle click, copy address and history work. Inside the console it doesn't reload the page. */
export function Link({ to, look = 'text', className, onClick, ...rest }: LinkProps) {
  const links = useLinks();
  const outside = /^[a-z]+:/.test(to);
  return (
    <a
      {...rest}
      {...(outside ? { target: '_blank', rel: 'noreferrer' } : {})}
      href={outside ? to : links.href(to)}
      className={cx(
        look === 'text' && 'rounded-control py-0.5 text-accent-ink underline-offset-3 hover:underline',
        className,
      )}
      {...(outside ? {} : onHover(links, to))}
      onFocus={outside ? undefined : () => links.prefetch?.(to)}
      onClick={(event) => {
        onClick?.(event);
        if (outside || leftToBrowser(event)) return;
        event.preventDefault();
        links.go(to);
      }}
    />
  );
}
