import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { enStory } from "./en.ts"
import type { Sentence } from "./messages.ts"

/** A sentence for every type of event, in one language: the one dictionary of the command line and the console. */
export type Story = Readonly<Record<keyof typeof enStory, Sentence>>

/** An event in a sentence; types of later versions are told by their name. */
export const sentenceIn = (story: Story, { data, type }: Pick<RecordedEvent, "data" | "type">): string => {
  const sentences: Readonly<Record<string, Sentence>> = story
  return Object.hasOwn(sentences, type) ? sentences[type]?.(data) ?? type : type
}
