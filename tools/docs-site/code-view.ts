import { type Content, exact, type Html, markup, raw } from "../../infrastructure/web/pages/html.ts"
import { type FrameTexts, frameTexts } from "../../infrastructure/web/docs/frame-texts.ts"

type CodeTexts = FrameTexts["code"]

/** Code in one of several languages. */
export interface CodeVariant {
  /** In class names and in the stored choice, such as `php`. */
  readonly id: string
  /** The language as the tab shows it. */
  readonly name: string
  readonly code: string
  /** Shown above the code, such as the name of its file. */
  readonly caption?: string
}

/** The button appears with the script only. `exact`: the script copies the text as it is. */
const body = (code: string, what: string | undefined, { copy, copyThis }: CodeTexts): Html =>
  markup`<button type="button" class="copy" aria-label="${
    copyThis(what)
  }" hidden>${copy}</button><pre tabindex="0"><code>${exact(code)}</code></pre>`

/** A block of code with a button that copies it. */
export const codeBlock = (code: string, caption?: Content, texts: CodeTexts = frameTexts.en.code): Html =>
  markup`<figure class="block">${caption === undefined ? undefined : markup`<figcaption>${caption}</figcaption>`}${
    body(code, undefined, texts)
  }</figure>`

/**
 * One block of code for each language. Radio buttons choose the visible one, without a script; a browser without
 * `:has()` shows all. `key` is unique on the page.
 */
export const codeTabs = (
  key: string,
  label: string,
  variants: ReadonlyArray<CodeVariant>,
  texts: CodeTexts = frameTexts.en.code
): Html =>
  markup`<div class="tabs"><fieldset><legend class="unseen">${texts.languageOf(label)}</legend>${
    variants.map(({ id, name }, index) =>
      markup`<label><input type="radio" name="language-${key}" value="${id}"${
        raw(index === 0 ? " checked" : "")
      }><span>${name}</span></label>`
    )
  }</fieldset>${
    variants.map(({ caption, code, id, name }) =>
      markup`<figure class="block panel ${id}"><figcaption><span class="language">${name}</span>${
        caption === undefined ? undefined : markup` <code>${caption}</code>`
      }</figcaption>${body(code, name, texts)}</figure>`
    )
  }</div>`
