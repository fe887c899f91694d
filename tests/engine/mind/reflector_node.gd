# A reflector of a node that is freed.
extends Node


func draw(_request: Dictionary) -> Array:
	return ["Nobody hears this."]
