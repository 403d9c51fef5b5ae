import { useEffect, useRef, useState } from 'preact/hooks';
import { remember, remembered } from './desk-store.js';

interface Props {
  /** Names the text in the browser's memory until it is saved. */
  id: string;
  label: string;
  value: string;
  onSave: (text: string) => void;
  disabled: boolean;
  field?: string;
  rows?: number;
}

const pause = 600;

/** A text that saves itself when the typing pauses. Until then the browser keeps it, so that a crash loses nothing. */
export function SavedText({ id, label, value, onSave, disabled, field, rows = 2 }: Props) {
  const [text, setText] = useState(() => remembered(id) ?? value);
  const edited = useRef(remembered(id) !== null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef({ text, onSave });
  latest.current = { text, onSave };
  const save = () => {
    clearTimeout(timer.current);
    if (!edited.current) return;
    edited.current = false;
    remember(id, null);
    latest.current.onSave(latest.current.text);
  };
  useEffect(() => {
    if (!edited.current) setText(value);
  }, [value]);
  useEffect(() => {
    if (edited.current) save();
    return save;
  }, [id]);
  return (
    <label class="saved-text">
      <span>{label}</span>
      <textarea
        rows={rows}
        value={text}
        disabled={disabled}
        data-field={field}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          edited.current = true;
          remember(id, typed);
          setText(typed);
          latest.current.text = typed;
          clearTimeout(timer.current);
          timer.current = setTimeout(save, pause);
        }}
        onBlur={save}
      />
    </label>
  );
}
