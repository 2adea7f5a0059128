/** The product's logo, decorative next to its name. Also in index.html and on the server's own pages. */
export function BrandMark({ className }: { readonly className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 24 24" className={className}>
      <rect width="24" height="24" rx="6" className="fill-accent" />
      <path
        d="M6.5 18 12 6l5.5 12"
        className="stroke-on-accent"
        fill="none"
        strokeWidth="2.25"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="12" cy="15.75" r="1.75" className="fill-on-accent" />
    </svg>
  );
}
