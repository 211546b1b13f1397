// Package picture makes pictures that a model can look at: PNG, JPEG, GIF and WebP, reduced to what models see of them.
//
// Start with [Open], which reads a file, or [Of], which takes bytes; [At] names a picture that the service fetches.
//
// Services scale a picture down before a model sees it, most of them to 1,568 pixels on its long side or less, and
// refuse files beyond a few megabytes. So a larger one is scaled here, once: it takes less room in the log of a run and
// in each request, and the model sees the same. What was done is in [toollimit.Image].Note.
//
// Bytes come from anywhere. The size in the header is checked before anything is decoded, a file larger than 32 MB is
// not read, and of an animation the first frame is shown. Each refusal is a [*tools.Problem] that says what to do.
package picture
