import { testPages } from "./test-pages.ts"

testPages("pages for people in every window", () => true)
