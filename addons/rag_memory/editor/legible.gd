@tool
extends RefCounted
## Colours that stand out from the panels of the editor's theme, dark or light.

## The contrast that text needs, by the formula of WCAG 2.
const TEXT := 4.5
## The contrast that lines and areas need.
const GRAPHICS := 3.0
const _STEPS := 40


## The colour, as much darker or lighter as its contrast with the panels of the theme needs.
static func on_panel(color: Color, control: Control, contrast := TEXT) -> Color:
	return on(control.get_theme_color(&"base_color", &"Editor"), color, contrast)


static func on(background: Color, color: Color, contrast: float) -> Color:
	var is_light := contrast_of(background, Color.BLACK) > contrast_of(background, Color.WHITE)
	var end := Color.BLACK if is_light else Color.WHITE
	for step in _STEPS:
		var changed := color.lerp(end, step / float(_STEPS))
		if contrast_of(background, background.blend(changed)) >= contrast:
			return changed
	return end


static func contrast_of(one: Color, other: Color) -> float:
	var first := _luminance(one)
	var second := _luminance(other)
	return (maxf(first, second) + 0.05) / (minf(first, second) + 0.05)


static func _luminance(color: Color) -> float:
	return color.srgb_to_linear().get_luminance()
