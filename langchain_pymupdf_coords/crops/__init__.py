"""Pictures of the places that Documents come from.

In: Documents, and ``CropOptions``.
Out: ``Crop`` values, in memory or in files of a folder, within budgets of pixels and bytes.
Imports: The ground, ``provenance``, ``sources`` and ``pdf``.
"""
