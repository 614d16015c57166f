import type { KeyState } from "../../../application/views/keys.ts"
import { type Html, tag, type Tone } from "./html.ts"

/** Keys that a list shows: the newest. */
export const MAX_KEYS_SHOWN = 50

const tones: Readonly<Record<KeyState, Tone>> = {
  active: "good",
  replaced: "plain",
  expired: "bad",
  revoked: "bad"
}

/** The state of a key in a word of the language. */
export const keyStateTag = (texts: Readonly<Record<KeyState, string>>, state: KeyState): Html =>
  tag(texts[state], tones[state])
