import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { TextField } from '../ui/field.tsx';

export interface SearchFieldProps {
  readonly value: string;
  readonly label: string;
  readonly onChange: (text: string | undefined) => void;
}

/** Searches a quarter of a second after the last letter. */
export function SearchField({ value, label, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // A change from outside (back button, "clear") replaces the text in the field.
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text === '' ? undefined : text);
    }, 250);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <TextField
      label={label}
      labelHidden
      placeholder={label}
      type="search"
      icon={<Search />}
      className="w-64 max-sm:w-full"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
